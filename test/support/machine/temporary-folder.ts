import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder that is gone afterwards. */
export async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'vplane-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
