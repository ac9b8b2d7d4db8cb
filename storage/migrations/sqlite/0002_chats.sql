-- Chats: messages that show challenges as well as matches, challenges that change before they are accepted, commands
-- that are delivered twice. Nothing had used the tables `screen` and `delivery` before.

DROP TRIGGER save;
DROP TRIGGER seat_down;
DROP TRIGGER put_challenge;
DROP VIEW challenging;
DROP VIEW showing;
DROP TABLE screen;
DROP TABLE delivery;

-- What a platform brought may come again: once done, it is done. `watched` is the match or challenge it was for.
CREATE TABLE delivery (
    platform TEXT NOT NULL,
    update_id TEXT NOT NULL,
    watched TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (platform, update_id)
) STRICT, WITHOUT ROWID;

-- `watched` is a match or a challenge. `revision` is its own, written by every action: so the screens that are behind
-- have an index, and looking for them costs nothing while there are none.
CREATE TABLE screen (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    watched TEXT NOT NULL,
    revision INTEGER NOT NULL,
    platform TEXT NOT NULL,
    chat TEXT NOT NULL,
    thread TEXT NOT NULL,
    message TEXT NOT NULL,
    player INTEGER REFERENCES player (id),
    shared INTEGER NOT NULL,
    by_press INTEGER NOT NULL,
    language TEXT NOT NULL,
    form TEXT NOT NULL,
    game INTEGER NOT NULL,
    shown_revision INTEGER NOT NULL,
    shown_hash TEXT NOT NULL,
    posted_at REAL NOT NULL
) STRICT;

CREATE INDEX screen_watched ON screen (watched);
CREATE INDEX screen_chat ON screen (platform, chat);
CREATE INDEX screen_behind ON screen (platform, id) WHERE shown_revision < revision AND NOT by_press;

-- In the order of `Shown`.
CREATE VIEW showing AS SELECT
    watched, platform, chat, thread, message, player, shared, by_press, language, form, game, shown_revision,
    shown_hash, posted_at, id
FROM screen;

-- What has to be known of this installation, by name.
CREATE TABLE note (
    name TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE challenge ADD COLUMN named TEXT NOT NULL DEFAULT '';
ALTER TABLE challenge ADD COLUMN computer INTEGER NOT NULL DEFAULT 0;

CREATE INDEX challenge_expires ON challenge (expires) WHERE state = 'open';

-- An action: as in 0001, but for `delivery` and `screen` --------------------------------------------------------------

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

    INSERT INTO delivery (platform, update_id, watched, at)
    SELECT NEW.platform, NEW.update_id, NEW.match, NEW.updated WHERE NEW.platform IS NOT NULL;

    UPDATE screen SET revision = NEW.revision WHERE watched = NEW.match;
END;

-- A new match, and the challenge that it takes up if there is one ------------------------------------------------------

CREATE TRIGGER seat_down INSTEAD OF INSERT ON seating BEGIN
    SELECT RAISE(ABORT, 'unknown_challenge')
    WHERE NEW.challenge IS NOT NULL AND NOT EXISTS (SELECT 1 FROM challenge WHERE id = NEW.challenge);

    SELECT RAISE(ABORT, 'challenge_gone')
    WHERE EXISTS (SELECT 1 FROM challenge WHERE id = NEW.challenge AND state <> 'open');

    SELECT RAISE(ABORT, 'challenge_changed')
    WHERE EXISTS (SELECT 1 FROM challenge WHERE id = NEW.challenge AND revision <> NEW.challenge_revision - 1);

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

    UPDATE screen SET revision = NEW.challenge_revision WHERE watched = NEW.challenge;

    INSERT INTO saving
    VALUES (
        NEW.match, NEW.revision, NEW.updated, NEW.phase, NEW.end_reason, NEW.deadline, NEW.rated, NEW.nonce_0,
        NEW.nonce_1, NEW.snapshot_format, NEW.snapshot, NEW.event_format, NEW.events, NEW.jobs, NEW.results,
        NEW.platform, NEW.update_id
    );
END;

-- A challenge, new or changed -------------------------------------------------------------------------------------------

CREATE VIEW challenging AS SELECT
    id, revision, terms, player, name, level, secret, opponent, scope, created, expires, state, match, named, computer,
    '' AS platform, '' AS update_id
FROM challenge;

CREATE TRIGGER put_challenge INSTEAD OF INSERT ON challenging BEGIN
    SELECT RAISE(ABORT, 'already_done')
    WHERE EXISTS (SELECT 1 FROM delivery WHERE platform = NEW.platform AND update_id = NEW.update_id);

    SELECT RAISE(ABORT, 'unknown_challenge')
    WHERE NEW.revision > 1 AND NOT EXISTS (SELECT 1 FROM challenge WHERE id = NEW.id);

    SELECT RAISE(ABORT, 'challenge_gone')
    WHERE EXISTS (SELECT 1 FROM challenge WHERE id = NEW.id AND state <> 'open');

    SELECT RAISE(ABORT, 'challenge_changed')
    WHERE EXISTS (SELECT 1 FROM challenge WHERE id = NEW.id AND revision <> NEW.revision - 1);

    INSERT INTO challenge (
        id, revision, terms, player, name, level, secret, opponent, scope, created, expires, state, match, named,
        computer
    )
    VALUES (
        NEW.id, NEW.revision, NEW.terms, NEW.player, NEW.name, NEW.level, NEW.secret, NEW.opponent, NEW.scope,
        NEW.created, NEW.expires, NEW.state, NEW.match, NEW.named, NEW.computer
    )
    ON CONFLICT (id) DO UPDATE SET
        revision = excluded.revision, terms = excluded.terms, player = excluded.player, name = excluded.name,
        level = excluded.level, secret = excluded.secret, opponent = excluded.opponent, scope = excluded.scope,
        expires = excluded.expires, state = excluded.state, match = excluded.match, named = excluded.named,
        computer = excluded.computer;

    INSERT INTO delivery (platform, update_id, watched, at)
    SELECT NEW.platform, NEW.update_id, NEW.id, NEW.created WHERE NEW.platform IS NOT NULL;

    UPDATE screen SET revision = NEW.revision WHERE watched = NEW.id;
END;

-- The challenges whose time is over: one statement, told by their ids. -------------------------------------------------

CREATE TRIGGER challenge_over AFTER UPDATE OF state ON challenge WHEN NEW.state = 'expired' BEGIN
    UPDATE screen SET revision = NEW.revision WHERE watched = NEW.id;
END;
