import { escapeIdentifier as quoted } from 'pg'
import type { Access, ReplaceableData } from '../dialect/database-dialect.ts'
import { inBatches, type KineRow } from '../dialect/kine-row.ts'
import type { PlaneDatabase } from '../dialect/plane-database.ts'
import { connect, type Connection } from './connect.ts'

/** The schema of kine's table. It is not `public`, in which servers before 15 let everyone create functions. */
export const SCHEMA = 'kine'

/** The schema of a new table. The names of its indexes and of its sequence are those that kine expects, too. */
const RESTORED = 'kine_restored'

/** The table of kine 0.16 (pkg/drivers/pgsql/pgsql.go); kine adds its indexes when it starts. */
const TABLE = `CREATE TABLE ${RESTORED}.kine (
  id BIGSERIAL PRIMARY KEY,
  name TEXT COLLATE "C",
  created INTEGER,
  deleted INTEGER,
  create_revision BIGINT,
  prev_revision BIGINT,
  lease INTEGER,
  value BYTEA,
  old_value BYTEA
)`

const ROWS = `INSERT INTO ${RESTORED}.kine (id, name, created, deleted, create_revision, prev_revision, lease, value)
  SELECT id, name, 1, 0, 0, prev_revision, lease, value
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::integer[], $5::bytea[]) AS row (id, name, prev_revision, lease, value)`

/** The rows of a plane in PostgreSQL: each table has a schema of its own, and exchanging them renames the schemas. */
export function postgresData(facts: PlaneDatabase, access: Access): ReplaceableData {
  const asOwner = () => connect(facts, facts.database, access)
  return {
    load: (rows) => load(facts, access, rows),
    exchange: async (former) => {
      await using owner = await asOwner()
      await atOnce(owner, async () => {
        if (await exists(owner, former)) {
          await owner.query(dropSchema(SCHEMA))
        } else if (await exists(owner, SCHEMA)) {
          await owner.query(renameSchema(SCHEMA, former))
        }
        await owner.query(renameSchema(RESTORED, SCHEMA))
      })
    },
    putBack: async (former) => {
      await using owner = await asOwner()
      return await atOnce(owner, async () => {
        const isKept = await exists(owner, former)
        if (isKept) {
          await owner.query(dropSchema(SCHEMA))
          await owner.query(renameSchema(former, SCHEMA))
        }
        return isKept
      })
    },
    dropFormer: async (former) => {
      await using owner = await asOwner()
      await owner.query(dropSchema(former))
    },
  }
}

/** The statement that lets a role make its tables in a schema. */
export function admitTo(schema: string, role: string): string {
  return `GRANT USAGE, CREATE ON SCHEMA ${quoted(schema)} TO ${quoted(role)}`
}

async function load(
  facts: PlaneDatabase,
  access: Access,
  rows: AsyncIterable<KineRow>,
): Promise<void> {
  const { database, password, role } = facts
  await using owner = await connect(facts, database, access)
  await owner.query(dropSchema(RESTORED))
  await owner.query(`CREATE SCHEMA ${RESTORED}`)
  await owner.query(admitTo(RESTORED, role))
  // kine must own its table.
  await using ofPlane = await connect(facts, database, { ...access, user: role, password })
  await ofPlane.query(TABLE)
  for await (const batch of inBatches(rows)) {
    await ofPlane.query(ROWS, [
      batch.map(({ id }) => id),
      batch.map(({ name }) => name),
      batch.map(({ prevRevision }) => prevRevision),
      batch.map(({ lease }) => lease),
      batch.map(({ value }) => value),
    ])
  }
  await ofPlane.query(
    `SELECT setval('${RESTORED}.kine_id_seq', (SELECT max(id) FROM ${RESTORED}.kine))`,
  )
  // Until PostgreSQL does this itself, it would search the table without its indexes.
  await ofPlane.query(`ANALYZE ${RESTORED}.kine`)
}

async function atOnce<Result>(client: Connection, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN')
  // What is not committed ends with the connection.
  const result = await work()
  await client.query('COMMIT')
  return result
}

async function exists(client: Connection, schema: string): Promise<boolean> {
  const named = 'SELECT FROM pg_namespace WHERE nspname = $1'
  return (await client.query(named, [schema])).rows.length > 0
}

function dropSchema(schema: string): string {
  return `DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`
}

function renameSchema(schema: string, name: string): string {
  return `ALTER SCHEMA ${quoted(schema)} RENAME TO ${quoted(name)}`
}
