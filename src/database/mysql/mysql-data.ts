import type { Connection } from 'mysql2/promise'
import type { ReplaceableData } from '../dialect/database-dialect.ts'
import { inBatches, type KineRow } from '../dialect/kine-row.ts'
import type { PlaneDatabase } from '../dialect/plane-database.ts'
import { rowsOf, STATEMENT_MS } from './connect.ts'

/**
 * The table of kine 0.16 with other names of objects: kine stores them as text of ASCII, in which `Foo` and `foo` are one
 * name, and `föö` is none. kine does not change a table that exists.
 */
export const TABLE = `(
  id BIGINT UNSIGNED AUTO_INCREMENT,
  name VARBINARY(630),
  created INTEGER,
  deleted INTEGER,
  create_revision BIGINT UNSIGNED,
  prev_revision BIGINT UNSIGNED,
  lease INTEGER,
  value MEDIUMBLOB,
  old_value MEDIUMBLOB,
  PRIMARY KEY (id),
  INDEX kine_name_index (name),
  INDEX kine_name_id_index (name, id),
  INDEX kine_id_deleted_index (id, deleted),
  INDEX kine_prev_revision_index (prev_revision),
  UNIQUE INDEX kine_name_prev_revision_uindex (name, prev_revision)
) ENGINE = InnoDB`

/** Only the role of a plane has rights on "kine", whichever table has this name. */
const CURRENT = 'kine'
const RESTORED = 'kine_restored'
/** A table that is dropped next. */
const REPLACED = 'kine_replaced'

const COLUMNS = '(id, name, created, deleted, create_revision, prev_revision, lease, value)'
const ROW = '(?, ?, 1, 0, 0, ?, ?, ?)'

/** The rows of a plane in MySQL: one statement renames all tables. If the server crashes meanwhile, it may have renamed some. */
export function mysqlData(client: Connection, { database }: PlaneDatabase): ReplaceableData {
  const inside = (table: string) => `${client.escapeId(database)}.${client.escapeId(table)}`
  const drop = (table: string) => rowsOf(client, `DROP TABLE IF EXISTS ${inside(table)}`)
  const exists = async (table: string) => {
    const named =
      'SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?'
    return (await rowsOf(client, named, [database, table])).length > 0
  }
  /** Renames the current table, if it exists, and gives its name to another one, without which nothing is renamed. */
  const replaceCurrent = async (replaced: string, by: string) => {
    const first = (await exists(CURRENT)) ? `${inside(CURRENT)} TO ${inside(replaced)}, ` : ''
    await rowsOf(client, `RENAME TABLE ${first}${inside(by)} TO ${inside(CURRENT)}`)
  }
  return {
    load: async (rows) => {
      await drop(RESTORED)
      await rowsOf(client, `CREATE TABLE ${inside(RESTORED)} ${TABLE}`)
      for await (const batch of inBatches(rows)) {
        await insert(client, inside(RESTORED), batch)
      }
    },
    exchange: async (former) => {
      await drop(REPLACED)
      const replaced = (await exists(former)) ? REPLACED : former
      await replaceCurrent(replaced, RESTORED)
      await drop(REPLACED)
    },
    putBack: async (former) => {
      const isKept = await exists(former)
      if (isKept) {
        await drop(REPLACED)
        await replaceCurrent(REPLACED, former)
        await drop(REPLACED)
      }
      return isKept
    },
    dropFormer: async (former) => {
      await drop(former)
    },
  }
}

async function insert(client: Connection, table: string, batch: readonly KineRow[]): Promise<void> {
  const sql = `INSERT INTO ${table} ${COLUMNS} VALUES ${batch.map(() => ROW).join(', ')}`
  const values = batch.flatMap(({ id, lease, name, prevRevision, value }) => [
    id,
    // As bytes: the server would convert a text.
    Buffer.from(name),
    prevRevision,
    lease,
    value,
  ])
  await client.execute({ sql, values, timeout: STATEMENT_MS })
}
