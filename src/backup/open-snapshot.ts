import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type {
  AskPassphrase,
  SnapshotSource,
  SnapshotStore,
} from '../control-plane/driver/snapshot.ts'
import { createTemporaryFolder } from '../shared/files/create-temporary-folder.ts'
import { VplaneError } from '../shared/errors.ts'
import { omitUndefined } from '../shared/omit-undefined.ts'
import { splitBundle } from './bundle/bundle-contents.ts'
import { logicalHeader } from './logical/read-logical.ts'
import { MAGIC } from './bundle/bundle-format.ts'
import { unsealed } from './bundle/seal.ts'
import { verifiedSnapshot } from './verify-snapshot.ts'
import { peek } from './streams/peek.ts'
import { writeStreamFile } from './streams/write-stream-file.ts'

type OpenSnapshot = Omit<SnapshotSource, 'from'>

interface OpenOptions {
  /** Called when the snapshot is a bundle. */
  passphrase: AskPassphrase
  signal: AbortSignal
}

/**
 * Opens a snapshot or a bundle in a file of the user.
 *
 * @throws {VplaneError} `NOT_FOUND` when the file does not exist, `USAGE` when it is a folder, and as `openBytes` does.
 */
export async function openFile(path: string, options: OpenOptions): Promise<OpenSnapshot> {
  const file = resolve(path)
  if (!existsSync(file)) {
    throw new VplaneError('NOT_FOUND', `there is no file "${path}"`, {
      hints: [{ action: 'list-snapshots' }],
    })
  }
  if (statSync(file).isDirectory()) {
    throw new VplaneError('USAGE', `cannot read "${path}": it is a folder`)
  }
  await using handle = await open(file)
  return await openBytes(handle.createReadStream({ autoClose: false }), `"${path}"`, options)
}

/** Opens one of a store. @throws {VplaneError} `NOT_FOUND`, and as `openBytes` does. */
export async function openStored(
  store: Pick<SnapshotStore, 'find' | 'read'>,
  id: string,
  options: OpenOptions,
): Promise<OpenSnapshot> {
  const info = await store.find(id, options.signal)
  const { encryptionKeys, plane: name, volumes } = info
  const planeId = info.planeId ?? info.backupOf ?? info.pauseOf
  const source = await openBytes(await store.read(id, options.signal), id, options)
  return {
    ...source,
    plane: omitUndefined({ name, id: planeId }),
    ...omitUndefined({ encryptionKeys, volumes }),
  }
}

/**
 * Copies a snapshot, decrypted, to a temporary folder of this user alone.
 * @throws {VplaneError} `FAILED` when it is neither a snapshot nor a bundle, damaged, or the passphrase is wrong.
 */
async function openBytes(
  bytes: AsyncIterable<Buffer>,
  name: string,
  { passphrase }: OpenOptions,
): Promise<OpenSnapshot> {
  const { first, all } = await peek(bytes, MAGIC.length)
  const isBundle = first.subarray(0, MAGIC.length).toString('latin1') === MAGIC
  const what = `the ${isBundle ? 'bundle' : 'snapshot'} ${name}`
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const file = join(folder.path, 'snapshot.db')
  const source = { passphrase: isBundle ? await passphrase() : '', source: what }
  const { bundle, snapshot } = isBundle
    ? await splitBundle(unsealed(all, source), what)
    : { snapshot: all, bundle: undefined }
  await writeStreamFile(file, verifiedSnapshot(snapshot, what))
  const held = stack.move()
  return {
    what,
    file,
    ...((await logicalHeader(file)) && { format: 'logical' }),
    ...omitUndefined({ bundle, volumes: bundle?.volumes }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
