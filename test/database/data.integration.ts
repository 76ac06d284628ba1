import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRows, openDatabaseServer } from '../../src/database/database-server.ts'
import type { ReplaceableData } from '../../src/database/dialect/database-dialect.ts'
import type { KineRow } from '../../src/database/dialect/kine-row.ts'
import { newPlaneDatabase, type PlaneDatabase } from '../../src/database/dialect/plane-database.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { noDatabases } from '../support/databases/database-program.ts'
import type { TestServer } from '../support/databases/database-server.ts'
import { SERVERS } from '../support/databases/servers.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const FLOOR = 1_000_000_042
const FORMER = 'kine-before-20260102T030405'

for (const [kind, startServer] of SERVERS) {
  describe.skipIf(noDatabases() !== undefined)(`the data of a plane with ${kind}`, () => {
    let server: TestServer

    beforeAll(async () => {
      server = await startServer()
    })
    afterAll(() => server[Symbol.asyncDispose]())

    test('is replaced in one step, and the former data is dropped at last', async () => {
      const facts = await planeWith('first')

      await withData(facts, (data) => data.load(rowsOf(['second'])))
      const before = await namesOf(facts)
      await withData(facts, (data) => data.exchange(FORMER))
      const between = [await namesOf(facts), (await tables(facts)).length]
      await withData(facts, (data) => data.dropFormer(FORMER))

      expect(before).toEqual(['first'])
      expect(between).toEqual([['compact_rev_key', 'second'], 2])
      expect(await tables(facts)).toEqual([expect.stringMatching(/kine$/)])
    })

    test('has the revisions and bytes of its rows, and later ones follow', async () => {
      const facts = await planeWith('first')
      const odd = Buffer.from([0, 0xff, 0xc3, 0x27, 0x5c, 0x0a, 0])

      await withData(facts, async (data) => {
        await data.load(rowsOf(['/a', '/ä "\\\'', '/a'.repeat(300)], odd))
        await data.exchange(FORMER)
      })
      await query(facts, `INSERT INTO kine (name, prev_revision) VALUES ('later', 0)`)

      const columns = 'id, name, created, deleted, create_revision, prev_revision, lease, value'
      const found = await query(facts, `SELECT ${columns} FROM kine ORDER BY id`)
      const key = { created: 1, deleted: 0, create_revision: 0 }
      expect(found.map(plain)).toMatchObject([
        { ...key, id: FLOOR, name: 'compact_rev_key', prev_revision: FLOOR, lease: 0, value: '' },
        { ...key, id: FLOOR + 1, name: '/a', prev_revision: 0, lease: 60, value: hex(odd) },
        { id: FLOOR + 2, name: '/ä "\\\'', value: hex(odd) },
        { id: FLOOR + 3, name: '/a'.repeat(300), value: hex(odd) },
        { id: FLOOR + 4, name: 'later' },
      ])
    })

    test('is loaded in statements that the server takes', async () => {
      const facts = await planeWith('first')
      const large = Buffer.alloc(1_500_000, 7)

      await withData(facts, async (data) => {
        await data.load(rowsOf(['/a', '/b', '/c'], large))
        await data.exchange(FORMER)
      })

      const found = await query(facts, 'SELECT SUM(LENGTH(value)) AS bytes FROM kine')
      expect(Number(Object(found[0]).bytes)).toBe(3 * large.length)
    })

    test('stays what it is when a load fails, which the next one replaces', async () => {
      const facts = await planeWith('first')
      const failure = new VplaneError('FAILED', 'the snapshot ends')
      const many = Array.from({ length: 600 }, (_, index) => `second-${index}`)
      const failing = async function* () {
        yield* rowsOf(many)
        throw failure
      }

      const error = await rejectionOf(withData(facts, (data) => data.load(failing())))
      const names = await namesOf(facts)
      await withData(facts, async (data) => {
        await data.load(rowsOf(['third']))
        await data.exchange(FORMER)
      })

      expect(error).toBe(failure)
      expect(names).toEqual(['first'])
      expect(await namesOf(facts)).toEqual(['compact_rev_key', 'third'])
    })

    test('keeps the first data when it is replaced again, and is put back', async () => {
      const facts = await planeWith('first')
      for (const name of ['second', 'third']) {
        await withData(facts, async (data) => {
          await data.load(rowsOf([name]))
          await data.exchange(FORMER)
        })
      }

      const replaced = await namesOf(facts)
      const isBack = await withData(facts, (data) => data.putBack(FORMER))
      const isBackAgain = await withData(facts, (data) => data.putBack(FORMER))

      expect(replaced).toEqual(['compact_rev_key', 'third'])
      expect([isBack, isBackAgain]).toEqual([true, false])
      expect(await namesOf(facts)).toEqual(['first'])
      expect((await tables(facts)).length).toBe(1)
    })

    test('stays the new data when it is to be replaced again without other new data', async () => {
      const facts = await planeWith('first')
      await withData(facts, async (data) => {
        await data.load(rowsOf(['second']))
        await data.exchange(FORMER)
      })

      await rejectionOf(withData(facts, (data) => data.exchange(FORMER)))

      expect(await namesOf(facts)).toEqual(['compact_rev_key', 'second'])
      expect(await withData(facts, (data) => data.putBack(FORMER))).toBe(true)
      expect(await namesOf(facts)).toEqual(['first'])
    })

    test('comes to a table that was lost', async () => {
      const facts = await planeWith('first')
      const table = kind === 'postgres' ? 'kine.kine' : 'kine'
      await server.query(`DROP TABLE ${table}`, { database: facts.database })
      const isLost = !(await hasRows(facts))

      await withData(facts, async (data) => {
        await data.load(rowsOf(['second']))
        await data.exchange(FORMER)
      })

      expect(isLost).toBe(true)
      expect(await namesOf(facts)).toEqual(['compact_rev_key', 'second'])
    })

    /** A plane with a table of one row, as kine has made it. */
    async function planeWith(name: string): Promise<PlaneDatabase> {
      const { files, port } = server
      const place = { kind, host: '127.0.0.1', port }
      const paths = { caFile: files.ca, credentialsFile: files.credentials }
      const facts = newPlaneDatabase('dev', { ...place, ...paths })
      await using owner = await openDatabaseServer(facts)
      await owner.ensure()
      if (kind === 'postgres') {
        await query(facts, 'CREATE TABLE kine (id bigserial PRIMARY KEY, name text)')
      }
      await query(facts, `INSERT INTO kine (name) VALUES ('${name}')`)
      return facts
    }

    async function namesOf(facts: PlaneDatabase): Promise<string[]> {
      const found = await query(facts, 'SELECT id, name FROM kine ORDER BY id')
      return found.map((row) => String(plain(row)['name']))
    }

    /** All tables of kine, whatever their names are. */
    async function tables({ database }: PlaneDatabase): Promise<string[]> {
      const found = await server.query(
        `SELECT table_schema AS place, table_name AS name FROM information_schema.tables
         WHERE table_schema LIKE 'kine%' OR table_name LIKE 'kine%'`,
        { database },
      )
      return found
        .map((row) => `${Object(row).place}.${Object(row).name}`)
        .filter((name) => kind === 'postgres' || name.startsWith(`${database}.`))
    }

    function query({ database, password, role }: PlaneDatabase, sql: string): Promise<unknown[]> {
      return server.query(sql, { user: role, password, database })
    }
  })
}

async function withData<Result>(
  facts: PlaneDatabase,
  work: (data: ReplaceableData) => Promise<Result>,
): Promise<Result> {
  await using owner = await openDatabaseServer(facts)
  await owner.ensure()
  return await work(owner.data)
}

async function* rowsOf(
  names: readonly string[],
  value = Buffer.from('v'),
): AsyncGenerator<KineRow, void, void> {
  const compacted = { name: 'compact_rev_key', value: Buffer.alloc(0) }
  yield { ...compacted, id: FLOOR, prevRevision: FLOOR, lease: 0 }
  for (const [index, name] of names.entries()) {
    yield { id: FLOOR + 1 + index, name, prevRevision: 0, lease: 60, value }
  }
}

/** A row with numbers and texts, whatever the package of the database makes of them. */
function plain(row: unknown): Record<string, unknown> {
  const entries = Object.entries(Object(row)).map(([column, value]) => {
    if (column === 'name') {
      return [column, String(value)]
    }
    return [column, Buffer.isBuffer(value) ? hex(value) : value === null ? value : Number(value)]
  })
  return Object.fromEntries(entries)
}

function hex(value: Buffer): string {
  return value.toString('hex')
}
