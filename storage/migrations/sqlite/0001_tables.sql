-- The tables of a store. Times are seconds since the epoch; a seat is 0 or 1.
--
-- An action is saved by ONE statement: an insert into a view whose trigger changes the tables. So it happens in full
-- or not at all, however its caller is interrupted, and no transaction is ever open between two awaits. Lists come
-- as JSON arrays and are taken apart by json_each. RAISE names the reason of the refusal.

PRAGMA application_id = 0x7461766c;  -- "tavl"

-- People ------------------------------------------------------------------------------------------------------------

-- AUTOINCREMENT: the number of someone who was forgotten is never given to another.
CREATE TABLE player (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created REAL NOT NULL
) STRICT;

CREATE TABLE account (
    platform TEXT NOT NULL,
    platform_id TEXT NOT NULL,
    player INTEGER NOT NULL REFERENCES player (id),
    name TEXT NOT NULL,
    named REAL NOT NULL,
    PRIMARY KEY (platform, platform_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_player ON account (player, named);

CREATE VIEW calling AS SELECT platform, platform_id, name, named AS at FROM account;

CREATE TRIGGER call INSTEAD OF INSERT ON calling BEGIN
    INSERT INTO player (created)
    SELECT NEW.at
    WHERE NOT EXISTS (SELECT 1 FROM account WHERE platform = NEW.platform AND platform_id = NEW.platform_id);

    INSERT INTO account (platform, platform_id, player, name, named)
    VALUES (NEW.platform, NEW.platform_id, last_insert_rowid(), NEW.name, NEW.at)
    ON CONFLICT (platform, platform_id) DO UPDATE SET name = excluded.name, named = excluded.named
    WHERE excluded.name <> '';
END;

-- Matches -----------------------------------------------------------------------------------------------------------

-- Up to `created` fixed when the match is set up, the rest changed by every action. A match is inserted at the
-- revision before its first and then saved like any other: hence the defaults. The snapshot comes last, so that
-- what lies before it is read without the pages that it may spill to.
CREATE TABLE match (
    id TEXT NOT NULL PRIMARY KEY,
    scope TEXT NOT NULL,
    shape TEXT NOT NULL,            -- JSON: [kind, target]
    dice_scheme INTEGER NOT NULL,
    commitment TEXT NOT NULL,
    follows TEXT REFERENCES match (id),
    created REAL NOT NULL,
    revision INTEGER NOT NULL,
    updated REAL NOT NULL,
    phase TEXT NOT NULL DEFAULT '',
    end_reason TEXT,
    deadline REAL,
    rated INTEGER NOT NULL DEFAULT 0,
    nonce_0 TEXT NOT NULL DEFAULT '',
    nonce_1 TEXT NOT NULL DEFAULT '',
    snapshot_format INTEGER NOT NULL DEFAULT 0,
    snapshot TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE UNIQUE INDEX match_follows ON match (follows) WHERE follows IS NOT NULL;

CREATE TABLE seat (
    match TEXT NOT NULL REFERENCES match (id),
    seat INTEGER NOT NULL CHECK (seat IN (0, 1)),
    player INTEGER REFERENCES player (id),
    name TEXT NOT NULL,
    level TEXT,                     -- of the computer
    secret TEXT NOT NULL,
    PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX seat_player ON seat (player) WHERE player IS NOT NULL;

-- Apart from the match, so that whoever reads that never holds its dice.
CREATE TABLE seed (
    match TEXT NOT NULL PRIMARY KEY REFERENCES match (id),
    seed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    match TEXT NOT NULL REFERENCES match (id),
    number INTEGER NOT NULL,        -- in the match, from 0
    revision INTEGER NOT NULL,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL,           -- JSON
    format INTEGER NOT NULL,
    PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE result (
    match TEXT NOT NULL REFERENCES match (id),
    number INTEGER NOT NULL,        -- of the game in the match, from 1
    game TEXT NOT NULL,
    winner INTEGER NOT NULL CHECK (winner IN (0, 1)),
    points INTEGER NOT NULL,
    kind TEXT NOT NULL,
    by TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
    match TEXT NOT NULL REFERENCES match (id),
    kind TEXT NOT NULL,
    run_at REAL NOT NULL,
    expect_revision INTEGER NOT NULL,
    lease_until REAL NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL,
    PRIMARY KEY (match, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_run_at ON job (run_at);

CREATE TABLE delivery (
    platform TEXT NOT NULL,
    update_id TEXT NOT NULL,
    match TEXT NOT NULL REFERENCES match (id),
    at REAL NOT NULL,
    PRIMARY KEY (platform, update_id)
) STRICT, WITHOUT ROWID;

-- `match_revision` is the match's own, written by every action: so the screens that are behind have an index, and
-- looking for them costs nothing while there are none.
CREATE TABLE screen (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    match TEXT NOT NULL REFERENCES match (id),
    match_revision INTEGER NOT NULL,
    platform TEXT NOT NULL,
    chat TEXT NOT NULL,
    thread TEXT NOT NULL,
    message TEXT NOT NULL,
    language TEXT NOT NULL,
    side INTEGER NOT NULL,
    form TEXT NOT NULL,
    shown_revision INTEGER NOT NULL,
    shown_hash TEXT NOT NULL,
    posted_at REAL NOT NULL
) STRICT;

CREATE INDEX screen_match ON screen (match);
CREATE INDEX screen_behind ON screen (platform, id) WHERE shown_revision < match_revision;

-- In the order of `Shown`.
CREATE VIEW showing AS SELECT
    match, platform, chat, thread, message, language, side, form, shown_revision, shown_hash, posted_at, id
FROM screen;

CREATE TABLE challenge (
    id TEXT NOT NULL PRIMARY KEY,
    revision INTEGER NOT NULL,
    terms TEXT NOT NULL,            -- JSON
    player INTEGER REFERENCES player (id),
    name TEXT NOT NULL,
    level TEXT,
    secret TEXT NOT NULL,
    opponent INTEGER REFERENCES player (id),
    scope TEXT NOT NULL,
    created REAL NOT NULL,
    expires REAL NOT NULL,
    state TEXT NOT NULL,
    match TEXT REFERENCES match (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE heartbeat (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    at REAL NOT NULL
) STRICT;

-- An action ---------------------------------------------------------------------------------------------------------

-- `events` are [kind, fields], `jobs` [kind, run_at, expect_revision, tries], `results` [number, game, winner,
-- points, kind, by]; `platform` and `update_id` are NULL where nothing was delivered.
CREATE VIEW saving AS SELECT
    id AS match, revision, updated, phase, end_reason, deadline, rated, nonce_0, nonce_1, snapshot_format, snapshot,
    '' AS event_format, '' AS events, '' AS jobs, '' AS results, '' AS platform, '' AS update_id
FROM match;

CREATE TRIGGER save INSTEAD OF INSERT ON saving BEGIN
    SELECT RAISE(ABORT, 'unknown_match')
    WHERE NOT EXISTS (SELECT 1 FROM match WHERE id = NEW.match);

    SELECT RAISE(ABORT, 'already_done')
    WHERE EXISTS (SELECT 1 FROM delivery WHERE platform = NEW.platform AND update_id = NEW.update_id);

    SELECT RAISE(ABORT, 'board_moved_on')
    WHERE NOT EXISTS (SELECT 1 FROM match WHERE id = NEW.match AND revision = NEW.revision - 1);

    UPDATE match SET
        revision = NEW.revision, updated = NEW.updated, phase = NEW.phase, end_reason = NEW.end_reason,
        deadline = NEW.deadline, rated = NEW.rated, nonce_0 = NEW.nonce_0, nonce_1 = NEW.nonce_1,
        snapshot_format = NEW.snapshot_format, snapshot = NEW.snapshot
    WHERE id = NEW.match;

    INSERT INTO event (match, number, revision, at, kind, fields, format)
    SELECT
        NEW.match, key + (SELECT coalesce(max(number) + 1, 0) FROM event WHERE match = NEW.match), NEW.revision,
        NEW.updated, json_extract(value, '$[0]'), json_extract(value, '$[1]'), NEW.event_format
    FROM json_each(NEW.events);

    DELETE FROM job WHERE match = NEW.match;

    INSERT INTO job (match, kind, run_at, expect_revision, tries)
    SELECT
        NEW.match, json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]')
    FROM json_each(NEW.jobs);

    INSERT INTO result (match, number, game, winner, points, kind, by, at)
    SELECT
        NEW.match, json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]'), NEW.updated
    FROM json_each(NEW.results);

    INSERT INTO delivery (platform, update_id, match, at)
    SELECT NEW.platform, NEW.update_id, NEW.match, NEW.updated WHERE NEW.platform IS NOT NULL;

    UPDATE screen SET match_revision = NEW.revision WHERE match = NEW.match;
END;

-- A new match, and the challenge that it takes up if there is one ----------------------------------------------------

CREATE VIEW seating AS SELECT
    saving.*, '' AS scope, '' AS shape, '' AS dice_scheme, '' AS commitment, '' AS follows, '' AS created, '' AS seed,
    '' AS player_0, '' AS name_0, '' AS level_0, '' AS secret_0,
    '' AS player_1, '' AS name_1, '' AS level_1, '' AS secret_1,
    '' AS challenge, '' AS challenge_revision, '' AS state, '' AS opponent
FROM saving;

CREATE TRIGGER seat_down INSTEAD OF INSERT ON seating BEGIN
    SELECT RAISE(ABORT, 'unknown_challenge')
    WHERE NEW.challenge IS NOT NULL AND NOT EXISTS (SELECT 1 FROM challenge WHERE id = NEW.challenge);

    SELECT RAISE(ABORT, 'challenge_gone')
    WHERE NEW.challenge IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM challenge
        WHERE id = NEW.challenge AND revision = NEW.challenge_revision - 1 AND state = 'open'
    );

    SELECT RAISE(ABORT, 'unknown_match')
    WHERE NEW.follows IS NOT NULL AND NOT EXISTS (SELECT 1 FROM match WHERE id = NEW.follows);

    SELECT RAISE(ABORT, 'already_done')
    WHERE EXISTS (SELECT 1 FROM match WHERE follows = NEW.follows);

    INSERT INTO match (id, scope, shape, dice_scheme, commitment, follows, created, revision, updated)
    VALUES (
        NEW.match, NEW.scope, NEW.shape, NEW.dice_scheme, NEW.commitment, NEW.follows, NEW.created, NEW.revision - 1,
        NEW.updated
    );

    INSERT INTO seat (match, seat, player, name, level, secret)
    VALUES
        (NEW.match, 0, NEW.player_0, NEW.name_0, NEW.level_0, NEW.secret_0),
        (NEW.match, 1, NEW.player_1, NEW.name_1, NEW.level_1, NEW.secret_1);

    INSERT INTO seed (match, seed) VALUES (NEW.match, NEW.seed);

    UPDATE challenge
    SET revision = NEW.challenge_revision, state = NEW.state, opponent = NEW.opponent, match = NEW.match
    WHERE id = NEW.challenge;

    INSERT INTO saving
    VALUES (
        NEW.match, NEW.revision, NEW.updated, NEW.phase, NEW.end_reason, NEW.deadline, NEW.rated, NEW.nonce_0,
        NEW.nonce_1, NEW.snapshot_format, NEW.snapshot, NEW.event_format, NEW.events, NEW.jobs, NEW.results,
        NEW.platform, NEW.update_id
    );
END;

-- A challenge, new or changed -----------------------------------------------------------------------------------------

CREATE VIEW challenging AS SELECT * FROM challenge;

CREATE TRIGGER put_challenge INSTEAD OF INSERT ON challenging BEGIN
    SELECT RAISE(ABORT, 'unknown_challenge')
    WHERE NEW.revision > 1 AND NOT EXISTS (SELECT 1 FROM challenge WHERE id = NEW.id);

    SELECT RAISE(ABORT, 'challenge_gone')
    WHERE EXISTS (
        SELECT 1 FROM challenge WHERE id = NEW.id AND NOT (revision = NEW.revision - 1 AND state = 'open')
    );

    INSERT INTO challenge
    VALUES (
        NEW.id, NEW.revision, NEW.terms, NEW.player, NEW.name, NEW.level, NEW.secret, NEW.opponent, NEW.scope,
        NEW.created, NEW.expires, NEW.state, NEW.match
    )
    ON CONFLICT (id) DO UPDATE SET
        revision = excluded.revision, terms = excluded.terms, player = excluded.player, name = excluded.name,
        level = excluded.level, secret = excluded.secret, opponent = excluded.opponent, scope = excluded.scope,
        expires = excluded.expires, state = excluded.state, match = excluded.match;
END;
