import { createHash } from 'node:crypto'

const PAGE_BYTES = 4096
const SHA256_BYTES = 32

/** Bytes as etcd sends them: pages that hold a text, and their SHA-256. */
export function etcdSnapshot(text: string, { pages = 1 }: { pages?: number } = {}): Buffer {
  const needed = Math.max(pages, Math.ceil(Buffer.byteLength(text) / PAGE_BYTES))
  const database = Buffer.alloc(needed * PAGE_BYTES)
  database.write(text)
  return Buffer.concat([database, createHash('sha256').update(database).digest()])
}

/** The text that a snapshot of `etcdSnapshot` holds. */
export function textOfSnapshot(snapshot: Buffer): string {
  return snapshot.subarray(0, -SHA256_BYTES).toString('utf8').replace(/\0+$/, '')
}
