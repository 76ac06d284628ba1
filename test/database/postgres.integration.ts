import { readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRows, openDatabaseServer } from '../../src/database/database-server.ts'
import { newPlaneDatabase, type PlaneDatabase } from '../../src/database/dialect/plane-database.ts'
import { noDatabases } from '../support/databases/database-program.ts'
import { type TestServer, UNNAMED } from '../support/databases/database-server.ts'
import { startPostgres } from '../support/databases/start-postgres.ts'
import { rejectionOf } from '../support/thrown-by.ts'

describe.skipIf(noDatabases() !== undefined)('PostgreSQL', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('has a role and a database for a plane, and neither afterwards', async () => {
    const facts = factsOf('dev')
    const before = await server.names()

    await ensure(facts)
    const again = await ensure(facts)
    const between = await server.names()
    await drop(facts)
    await drop(facts)

    expect(again).toEqual([])
    expect(between.length).toBe(before.length + 2)
    expect(await server.names()).toEqual(before)
  })

  test('is never told the password of a role', async () => {
    const facts = factsOf('quiet')

    await ensure(facts)

    const log = await readFile(server.files.log, 'utf8')
    expect(log).toContain(`CREATE ROLE "${facts.role}"`)
    expect(log).not.toContain(facts.password)
    expect(await query(facts, 'SELECT current_user AS name')).toEqual([{ name: facts.role }])
  })

  test.for([
    ['another database', 'SELECT 1', (other: PlaneDatabase) => other.database],
    ['the database of the owner', 'SELECT 1', () => 'postgres'],
    ['the template of databases', 'SELECT 1', () => 'template1'],
    ['roles', 'CREATE ROLE thief', undefined],
    ['databases', 'CREATE DATABASE thief', undefined],
    ['schemas', 'CREATE SCHEMA thief', undefined],
    ['functions for others', 'CREATE TABLE public.thief ()', undefined],
    ['temporary tables', 'CREATE TEMP TABLE thief ()', undefined],
    ['extensions', 'CREATE EXTENSION dblink', undefined],
    ['files', `SELECT pg_read_file('/etc/passwd')`, undefined],
    ['files by COPY', `COPY (SELECT 1) TO '/tmp/thief'`, undefined],
    ['programs', `COPY (SELECT 1) TO PROGRAM 'true'`, undefined],
    ['large objects of files', `SELECT lo_import('/etc/passwd')`, undefined],
    ['passwords', 'SELECT rolpassword FROM pg_authid', undefined],
    ['the role of another', (other: PlaneDatabase) => `SET ROLE "${other.role}"`, undefined],
    ['the owner', 'SET ROLE owner', undefined],
    ['rights', (other: PlaneDatabase) => `GRANT "${other.role}" TO CURRENT_USER`, undefined],
    ['the admission of everyone', 'own', undefined],
  ] as const)('keeps %s from the role of a plane', async ([, sql, database]) => {
    const [facts, other] = [factsOf('thief'), factsOf('victim')]
    await ensure(facts)
    await ensure(other)
    const text = typeof sql === 'string' ? sql : sql(other)
    const own = `ALTER DATABASE "${facts.database}" OWNER TO CURRENT_USER`

    const place = { ...facts, database: database?.(other) ?? facts.database }
    await expect(query(place, text === 'own' ? own : text)).rejects.toThrow(
      /permission denied|must be (superuser|owner|member)|must have admin option|not permitted/,
    )
  })

  test('keeps the database of another who has one of this name', async () => {
    await server.query('CREATE DATABASE taken')
    const facts = { ...factsOf('dev'), database: 'taken' }

    const error = await rejectionOf(ensure(facts))
    const dropped = await drop(facts)

    expect(error).toMatchObject({ code: 'CONFLICT' })
    expect(dropped).toEqual({ hasForeign: true })
    expect((await server.names()).join()).toContain('"taken"')
    expect((await server.names()).join()).not.toContain(facts.role)
  })

  test.for([
    ['its name', async (facts: PlaneDatabase) => server.query(createdBy(facts))],
    [
      'its mark',
      async (facts: PlaneDatabase) => {
        await server.query(createdBy(facts))
        const mark = `of the control plane of vplane with the role "${facts.role}"`
        await server.query(`COMMENT ON DATABASE "${facts.role}" IS '${mark}'`)
      },
    ],
  ] as const)('continues and deletes a creation that ended before %s', async ([, begin]) => {
    const [continued, deleted] = [factsOf('dev'), factsOf('dev')].map((facts, index) => ({
      ...facts,
      database: `chosen-${index}`,
    }))
    expect.assert(continued !== undefined && deleted !== undefined)
    const before = await server.names()
    await begin(continued)
    await begin(deleted)

    await ensure(continued)
    const between = (await server.names()).join()
    await drop(continued)
    await drop(deleted)

    expect(between).toContain('"chosen-0"')
    expect(await server.names()).toEqual(before)
  })

  test('deletes a database that a session still uses', async () => {
    const facts = factsOf('busy')
    const before = await server.names()
    await ensure(facts)
    const session = query(facts, 'SELECT pg_sleep(600)').catch((error: unknown) => error)
    const isBusy = async () =>
      (await server.query(`SELECT FROM pg_stat_activity WHERE usename = '${facts.role}'`)).length
    await expect.poll(isBusy).toBe(1)

    await drop(facts)

    expect(await session).toBeInstanceOf(Error)
    expect(await server.names()).toEqual(before)
  })

  test('has data when kine has rows', async () => {
    const facts = factsOf('rows')
    await ensure(facts)

    const empty = await hasRows(facts)
    await query(facts, 'CREATE TABLE kine (id integer)')
    const noRows = await hasRows(facts)
    await query(facts, 'INSERT INTO kine VALUES (1)')

    expect([empty, noRows, await hasRows(facts)]).toEqual([false, false, true])
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

  test('is trusted without a CA of its own when this machine trusts its CA', async () => {
    const facts = factsOf('trusted')
    await ensure(facts)
    const { caFile, ...own } = facts
    const file = JSON.stringify(new URL('../../src/database/database-server.ts', import.meta.url))
    const program = `const { hasRows } = await import(${file}); process.stdout.write(String(await hasRows(${JSON.stringify(own)})))`

    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program], {
      env: { SSL_CERT_FILE: caFile },
      extendEnv: false,
    })

    expect(stdout).toBe('false')
  })

  test('names the databases that admit everyone', async () => {
    await server.query('CREATE DATABASE open')
    expect(await ensure(factsOf('dev'))).toContain('open')
    await server.query('DROP DATABASE open')
  })

  function factsOf(name: string): PlaneDatabase {
    const { files, port } = server
    return newPlaneDatabase(name, {
      kind: 'postgres',
      host: '127.0.0.1',
      port,
      caFile: files.ca,
      credentialsFile: files.credentials,
    })
  }

  /** Of the owner, without a role yet. */
  function createdBy({ role }: PlaneDatabase): string {
    return `CREATE DATABASE "${role}" OWNER owner TEMPLATE template0 CONNECTION LIMIT 0`
  }

  function query({ database, password, role }: PlaneDatabase, sql: string): Promise<unknown[]> {
    return server.query(sql, { user: role, password, database })
  }
})

async function ensure(facts: PlaneDatabase): Promise<string[]> {
  await using server = await openDatabaseServer(facts)
  return (await server.ensure()).filter((name) => name !== 'taken')
}

async function drop(facts: PlaneDatabase): Promise<{ hasForeign: boolean }> {
  await using server = await openDatabaseServer(facts)
  return await server.drop()
}
