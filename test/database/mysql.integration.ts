import { once } from 'node:events'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRows, openDatabaseServer } from '../../src/database/database-server.ts'
import { newPlaneDatabase, type PlaneDatabase } from '../../src/database/dialect/plane-database.ts'
import { mysql } from '../../src/database/mysql/mysql.ts'
import { noDatabases } from '../support/databases/database-program.ts'
import { type TestServer, UNNAMED } from '../support/databases/database-server.ts'
import { startMariaDb } from '../support/databases/start-mariadb.ts'
import { rejectionOf } from '../support/thrown-by.ts'

describe.skipIf(noDatabases() !== undefined)('MariaDB', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startMariaDb()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('has a user and a database for a plane, and neither afterwards', async () => {
    const facts = factsOf('dev')
    const before = await server.names()

    await ensure(facts)
    await query(facts, `INSERT INTO kine (name) VALUES ('kept')`)
    const again = await ensure(facts)
    const between = await server.names()
    const rows = await query(facts, 'SELECT CAST(name AS CHAR) AS name FROM kine')
    await drop(facts)
    await drop(facts)

    expect(again).toEqual([])
    expect(rows).toEqual([{ name: 'kept' }])
    expect(between.length).toBe(before.length + 2)
    expect(await server.names()).toEqual(before)
  })

  test('is never told the password of a user', async () => {
    const facts = factsOf('quiet')

    await ensure(facts)

    const log = await readFile(server.files.log, 'utf8')
    expect(log).toContain(`CREATE USER IF NOT EXISTS '${facts.role}'`)
    expect(log).not.toContain(facts.password)
    expect(await query(facts, 'SELECT CURRENT_USER() AS name')).toEqual([
      { name: `${facts.role}@%` },
    ])
  })

  test('shows the user of a plane its own database and connections alone', async () => {
    const [facts, other] = [factsOf('curious'), factsOf('victim')]
    await ensure(facts)
    await ensure(other)

    const databases = await query(facts, 'SHOW DATABASES')
    const users = await query(facts, 'SELECT DISTINCT user FROM information_schema.processlist')
    const tables = await query(
      facts,
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema LIKE 'vplane%'`,
    )

    expect(databases.flatMap((row) => Object.values(Object(row)))).toEqual(
      expect.arrayContaining([facts.database, 'information_schema']),
    )
    expect(databases.length).toBe(2)
    expect(users).toEqual([{ user: facts.role }])
    expect(tables).toEqual([{ name: 'kine' }])
  })

  test.for([
    ['another database', (other: string) => `SELECT * FROM \`${other}\`.kine`],
    [
      'a database with a similar name',
      (_: string, like: string) => `SELECT * FROM \`${like}\`.kine`,
    ],
    ['the mark of its database', () => 'DELETE FROM vplane_control_plane'],
    ['its table', () => 'DROP TABLE kine'],
    ['the columns of its table', () => 'ALTER TABLE kine ADD COLUMN thief INTEGER'],
    ['tables', () => 'CREATE TABLE thief (id INTEGER)'],
    ['temporary tables', () => 'CREATE TEMPORARY TABLE thief (id INTEGER)'],
    ['databases', () => 'CREATE DATABASE thief'],
    ['users', () => 'CREATE USER thief'],
    ['the password of another', (other: string) => `SET PASSWORD FOR '${other}' = PASSWORD('x')`],
    ['rights', (other: string) => `GRANT SELECT ON \`${other}\`.* TO CURRENT_USER`],
    ['rights for others', (other: string) => `GRANT SELECT ON kine TO '${other}'`],
    ['passwords', () => 'SELECT * FROM mysql.global_priv'],
    ['the list of users', () => 'SELECT * FROM mysql.user'],
    ['files into a table', () => `LOAD DATA INFILE '/etc/passwd' INTO TABLE kine (value)`],
    ['files by OUTFILE', () => `SELECT 1 INTO OUTFILE '/tmp/vplane-thief'`],
    ['settings of the server', () => 'SET GLOBAL general_log = 0'],
    ['plugins', () => `INSTALL SONAME 'auth_ed25519'`],
    ['functions', () => `CREATE FUNCTION thief RETURNS STRING SONAME 'udf.so'`],
    ['procedures', () => 'CREATE PROCEDURE thief() SELECT 1'],
    ['the role of another', (other: string) => `SET ROLE '${other}'`],
    ['the logs of the server', () => 'SHOW BINARY LOGS'],
    ['the end of the server', () => 'SHUTDOWN'],
  ] as const)('keeps %s from the user of a plane', async ([, sql]) => {
    const [facts, other] = [factsOf('thief'), factsOf('victim')]
    // In a right on a pattern, "_" is any character.
    const like = { ...other, database: `${facts.role.slice(0, -1)}_` }
    await ensure(facts)
    await ensure(other)
    await ensure(like)

    const attempt = query(facts, sql(other.role, like.database))

    await expect(attempt).rejects.toThrow(
      /denied|not allowed|Invalid role|not owner|Unknown thread/,
    )
    await drop(like)
  })

  test('reads no file for the user of a plane', async () => {
    const facts = factsOf('reader')
    await ensure(facts)

    const rows = await query(facts, `SELECT LOAD_FILE('/etc/passwd') AS text`)

    expect(rows).toEqual([{ text: null }])
  })

  test('lets the user of a plane connect only over TLS', async () => {
    const facts = factsOf('plain')
    await ensure(facts)

    const [row] = await server.query(`SHOW CREATE USER '${facts.role}'`)

    expect(Object.values(Object(row)).join()).toContain('REQUIRE SSL')
  })

  test('keeps the database of another who has one of this name', async () => {
    await server.query('CREATE DATABASE `vplane-taken`')
    const taken = { ...factsOf('dev'), database: 'vplane-taken' }
    const [own, other] = [{ ...factsOf('dev'), database: 'vplane-own' }, factsOf('other')]
    await ensure(own)

    const error = await rejectionOf(ensure(taken))
    await drop(taken)
    const ofPlane = await rejectionOf(ensure({ ...other, database: 'vplane-own' }))
    await drop({ ...other, database: 'vplane-own' })

    expect([error, ofPlane]).toMatchObject([{ code: 'CONFLICT' }, { code: 'CONFLICT' }])
    const names = (await server.names()).join()
    expect(names).toContain('"vplane-taken"')
    expect(names).toContain('"vplane-own"')
    expect(names).not.toContain(taken.role)
    await ensure(own)
    await drop(own)
    expect((await server.names()).join()).not.toContain('"vplane-own"')
  })

  test('continues and deletes a creation that ended before its mark', async () => {
    const facts = { ...factsOf('dev'), database: 'vplane-begun' }
    const before = await server.names()
    const unmark = () =>
      server.query('DROP TABLE vplane_control_plane, kine', { database: facts.database })
    await ensure(facts)
    await unmark()

    await ensure(facts)
    await unmark()
    const dropped = await drop(facts)

    expect(dropped).toEqual({ hasForeign: false })
    expect(await server.names()).toEqual(before)
  })

  test('says which rights its owner needs', async () => {
    const error = await rejectionOf(ensure({ ...factsOf('dev'), database: 'elsewhere' }))

    expect(error).toMatchObject({ code: 'FAILED' })
    expect(error.hints.join()).toContain('"owner" needs CREATE USER, and all rights on "elsewhere"')
  })

  test('has data when kine has rows', async () => {
    const facts = factsOf('rows')
    await ensure(facts)

    const empty = await hasRows(facts)
    await query(facts, 'INSERT INTO kine (id) VALUES (1)')
    const filled = await hasRows(facts)
    await server.query('DROP TABLE kine', { database: facts.database })
    const noTable = await hasRows(facts)
    await server.query(`DROP DATABASE \`${facts.database}\``)

    expect([empty, filled, noTable, await hasRows(facts)]).toEqual([false, true, false, false])
    await drop(facts)
    expect(await rejectionOf(hasRows(facts))).toMatchObject({ code: 'FAILED' })
  })

  test.for([
    ['another CA', { caFile: 'otherCa' }],
    ['no CA of its own', { caFile: undefined }],
    ['an address that its certificate does not name', { host: UNNAMED }],
  ] as const)('is not trusted with %s', async ([, change]) => {
    const { caFile, ...facts } = { ...factsOf('dev'), ...change }
    const path = caFile === 'otherCa' ? server.files.otherCa : caFile
    const wanted = { ...facts, ...(path === undefined ? {} : { caFile: path }) }

    expect(await rejectionOf(ensure(wanted))).toMatchObject({ code: 'UNREACHABLE' })
    expect(await rejectionOf(hasRows(wanted))).toMatchObject({ code: 'UNREACHABLE' })
  })

  test('is trusted by the name of its certificate alone', async () => {
    const { certificate, key, misnamed } = server.files
    const facts = { ...factsOf('dev'), host: 'localhost' }
    const texts = [await readFile(certificate), await readFile(key)] as const
    expect(await ensure(facts)).toEqual([])

    await copyFile(misnamed.certificate, certificate)
    await copyFile(misnamed.key, key)
    await server.query('FLUSH SSL')
    const errors = [await rejectionOf(ensure(facts)), await rejectionOf(hasRows(facts))]
    await writeFile(certificate, texts[0])
    await writeFile(key, texts[1])
    await server.query('FLUSH SSL')

    for (const error of errors) {
      expect(error).toMatchObject({ code: 'UNREACHABLE' })
      expect(error.message).toContain('localhost. is not in the cert')
    }
    await drop(facts)
  })

  test('is reached through another stream, and trusted there by the same name', async () => {
    const { ca, owner } = server.files
    const certificateAuthority = await readFile(ca, 'utf8')
    const access = { ...owner, certificateAuthority, dial }
    // Nothing listens there: only the stream leads to the server.
    const facts = { ...factsOf('far'), port: 1 }
    {
      await using far = await mysql.open(facts, access)
      expect(await far.ensure()).toEqual([])
      await far.drop()
    }

    const error = await rejectionOf(mysql.open({ ...facts, host: 'elsewhere.example.com' }, access))

    expect(error).toMatchObject({ code: 'UNREACHABLE' })
    expect(error.message).toContain('elsewhere.example.com. is not in the cert')
  })

  test('refuses a server that cannot take large objects', async () => {
    await server.query('SET GLOBAL max_allowed_packet = 1048576')

    const error = await rejectionOf(ensure(factsOf('dev')))
    await server.query('SET GLOBAL max_allowed_packet = 16777216')

    expect(error).toMatchObject({ code: 'FAILED' })
    expect(error.message).toContain('"max_allowed_packet"')
  })

  test('names the databases that admit everyone', async () => {
    await server.query('CREATE DATABASE open')
    await server.query('GRANT SELECT ON open.* TO PUBLIC')
    const admitted = await ensure(factsOf('dev'))
    await server.query('REVOKE SELECT ON open.* FROM PUBLIC')
    await server.query('DROP DATABASE open')

    expect(admitted).toEqual(['open'])
  })

  /** A stream that is no socket, as that of a port-forward, after the server has greeted its client. */
  async function dial(): Promise<Duplex> {
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'readable')
    return Duplex.from({ readable: socket, writable: socket })
  }

  function factsOf(name: string): PlaneDatabase {
    const { files, port } = server
    return newPlaneDatabase(name, {
      kind: 'mysql',
      host: '127.0.0.1',
      port,
      caFile: files.ca,
      credentialsFile: files.credentials,
    })
  }

  function query({ database, password, role }: PlaneDatabase, sql: string): Promise<unknown[]> {
    return server.query(sql, { user: role, password, database })
  }
})

async function ensure(facts: PlaneDatabase): Promise<string[]> {
  await using server = await openDatabaseServer(facts)
  return await server.ensure()
}

async function drop(facts: PlaneDatabase): Promise<{ hasForeign: boolean }> {
  await using server = await openDatabaseServer(facts)
  return await server.drop()
}
