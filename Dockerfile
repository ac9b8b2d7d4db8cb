# docker build -t tavla . && docker run -p 127.0.0.1:8080:8080 -v tavla:/data tavla
# Needs nothing but /data and a scratch /tmp: --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges

FROM python:3.12-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
RUN python -m venv --without-pip /opt/tavla
# What we depend on changes seldom and what we write changes daily: a layer each.
COPY pyproject.toml constraints.txt LICENSE ./
RUN pip --python /opt/tavla/bin/python install -c constraints.txt . \
 && pip --python /opt/tavla/bin/python uninstall -y tavla
COPY . .
# Unchecked: an image's files never change, but their dates may when it is copied, and would void the bytecode.
RUN pip --python /opt/tavla/bin/python install --no-deps . \
 && python -m compileall -q -f --invalidation-mode unchecked-hash /opt/tavla

FROM python:3.12-slim-bookworm
# The official image comes without the standard library's bytecode, and a read-only one could never write it: every
# start, health check and AI worker would compile it again.
RUN python -m compileall -q -x '/(test|tests|idlelib|lib2to3|tkinter|turtledemo|ensurepip|site-packages)/' \
    --invalidation-mode unchecked-hash "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" \
 && groupadd --gid 10001 tavla \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin tavla \
 && install -d -o 10001 -g 10001 -m 0750 /data
COPY --from=build /opt/tavla /opt/tavla
ENV PATH=/opt/tavla/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DATABASE_URL=sqlite:////data/tavla.db \
    TAVLA_HOST=0.0.0.0 \
    TAVLA_PORT=8080
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# No proxy: one that is set for the bot's own traffic would be asked for 127.0.0.1. Any fault, or not 200, is exit 1.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["python", "-c", "import os, sys, urllib.request as r; sys.exit(r.build_opener(r.ProxyHandler({})).open(f\"http://127.0.0.1:{os.environ['TAVLA_PORT']}/healthz\", timeout=4).status != 200)"]
ENTRYPOINT ["tavla"]
CMD ["run"]
