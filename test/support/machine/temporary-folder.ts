import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder that is gone afterwards. */
export async function temporaryFolder(parent = tmpdir()) {
  const path = await mkdtemp(join(parent, 'vplane-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
