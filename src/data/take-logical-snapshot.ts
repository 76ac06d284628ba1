import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { logicalSnapshot } from '../backup/logical/logical-format.ts'
import { writeStreamFile } from '../backup/streams/write-stream-file.ts'
import type { PlaneData } from '../control-plane/driver/snapshot.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { storeOf } from '../control-plane/store/store.ts'
import { readAtOneRevision } from '../etcd/data/read-keys.ts'
import type { EtcdConnection } from '../etcd/etcd-connection.ts'
import { createTemporaryFolder } from '../shared/files/create-temporary-folder.ts'
import { omitUndefined } from '../shared/omit-undefined.ts'

/**
 * Reads all keys of a plane at one revision, whatever its store is, while the plane keeps serving. They are in a
 * temporary file until they are disposed, since a revision that is compacted meanwhile makes it begin again.
 */
export async function takeLogicalSnapshot(
  connection: EtcdConnection,
  { spec }: Pick<Plane, 'spec'>,
  signal: AbortSignal,
): Promise<PlaneData> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const file = join(folder.path, 'snapshot')
  const revision = await writeLogicalSnapshot(connection, { spec, file }, signal)
  const handle = stack.use(await open(file))
  const { size } = await handle.stat()
  const held = stack.move()
  return {
    revision,
    sizeBytes: size,
    format: 'logical',
    bytes: handle.createReadStream({ autoClose: false }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Writes one to a file, which exists only when it is complete. Returns its revision. */
export async function writeLogicalSnapshot(
  connection: EtcdConnection,
  { file, spec }: Pick<Plane, 'spec'> & { file: string },
  signal: AbortSignal,
): Promise<number> {
  const origin = {
    kubernetesVersion: spec.version,
    store: storeOf(spec).title,
    ...omitUndefined({ prefix: connection.prefix ?? spec.etcd.prefix }),
  }
  return await readAtOneRevision(connection, signal, async (revision, keys) => {
    await writeStreamFile(file, logicalSnapshot({ revision, ...origin }, keys))
    return revision
  })
}
