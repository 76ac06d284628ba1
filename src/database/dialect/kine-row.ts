/**
 * A row of kine's table, of a key without earlier revisions. Its column `created` is 1 and `create_revision` is 0: kine
 * reads the id of such a row as its create revision.
 */
export interface KineRow {
  /** Its revision. */
  id: number
  name: string
  /** For the row that has the latest compacted revision: that revision. @default 0 */
  prevRevision: number
  /** Seconds; 0 if it does not expire. */
  lease: number
  value: Buffer
}

const BATCH_ROWS = 500
const BATCH_BYTES = 1024 * 1024

/** The rows in groups that fit into one statement: a server takes 4 MiB at least, and a value has 1.5 MiB at most. */
export async function* inBatches(rows: AsyncIterable<KineRow>): AsyncGenerator<KineRow[]> {
  let batch: KineRow[] = []
  let bytes = 0
  for await (const row of rows) {
    batch.push(row)
    bytes += row.value.length + row.name.length
    if (batch.length === BATCH_ROWS || bytes >= BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
  }
  if (batch.length > 0) {
    yield batch
  }
}
