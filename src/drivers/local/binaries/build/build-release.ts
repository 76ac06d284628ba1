import type { BinaryName, Release } from '../cache/binary.ts'
import { type BuildContext, buildPrograms } from './build-programs.ts'
import { releaseBuild } from './go-build.ts'

/**
 * Builds binaries of a release into the cache; see `buildPrograms`.
 *
 * @throws {VplaneError} `FAILED` when there is no Go, no such version, no space or the build fails, `ABORTED` when the
 * signal fires.
 */
export async function buildRelease(
  release: Release,
  names: readonly BinaryName[],
  context: BuildContext,
): Promise<void> {
  await buildPrograms(releaseBuild(release, names, context.paths.cache), context)
}
