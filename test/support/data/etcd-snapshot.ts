import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { PlaneData } from '../../../src/control-plane/driver/snapshot.ts'

const PAGE_BYTES = 4096
const SHA256_BYTES = 32

/** Bytes as etcd sends them: pages that hold a text, and their SHA-256. */
export function etcdSnapshot(text: string, { pages = 1 }: { pages?: number } = {}): Buffer {
  const needed = Math.max(pages, Math.ceil(Buffer.byteLength(text) / PAGE_BYTES))
  const database = Buffer.alloc(needed * PAGE_BYTES)
  database.write(text)
  return Buffer.concat([database, createHash('sha256').update(database).digest()])
}

/** The data of a plane; its stream is destroyed when it is given back. */
export function planeData(snapshot: Buffer, revision: number): PlaneData & { bytes: Readable } {
  const bytes = Readable.from([snapshot])
  const dispose = async () => void bytes.destroy()
  return { revision, sizeBytes: snapshot.length, bytes, [Symbol.asyncDispose]: dispose }
}

/** The text that a snapshot of `etcdSnapshot` holds. */
export function textOfSnapshot(snapshot: Buffer): string {
  return snapshot.subarray(0, -SHA256_BYTES).toString('utf8').replace(/\0+$/, '')
}
