import { ensureFreshBuild } from '../../../scripts/build/fresh-build.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'

/** Builds what users have before the tests that run it. */
export async function setup(): Promise<void> {
  await ensureFreshBuild(packageRoot())
}
