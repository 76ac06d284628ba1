import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPrograms } from '../../../src/drivers/local/binaries/build/build-programs.ts'
import type { GoBuild } from '../../../src/drivers/local/binaries/build/go-build.ts'
import { isExecutable } from '../../../src/drivers/local/binaries/cache/is-executable.ts'
import type { LabContext } from '../lab-context.ts'

/**
 * Makes sure that programs are built, and says where they are, by name.
 *
 * @throws {VplaneError} `FAILED` when they cannot be built, `ABORTED` when the signal fires.
 */
export async function ensurePrograms(
  build: GoBuild,
  context: LabContext,
): Promise<Record<string, string>> {
  const { environment, folder, signal, ui } = context
  const paths = Object.fromEntries(
    Object.keys(build.packages).map((name) => [name, join(build.folder, name)]),
  )
  if (!Object.values(paths).every((path) => isExecutable(path))) {
    await mkdir(build.folder, { recursive: true, mode: 0o700 })
    const isOffline = !['', '0', 'false', undefined].includes(environment['VPLANE_OFFLINE'])
    await buildPrograms(build, { paths: folder, environment, ui, signal, isOffline })
  }
  return paths
}
