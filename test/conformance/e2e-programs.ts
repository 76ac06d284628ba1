import { join } from 'node:path'
import { formatPlatform, platformOf } from '../../src/drivers/local/binaries/cache/platform.ts'
import type { LabContext } from '../lab/lab-context.ts'
import { ensurePrograms } from '../lab/programs/ensure-programs.ts'
import { nodeBuild } from '../lab/programs/lab-builds.ts'

/** Kubernetes' own tests, and the programs of their images, which share one build. */
const PROGRAMS = {
  agnhost: 'k8s.io/kubernetes/test/images/agnhost',
  ginkgo: 'github.com/onsi/ginkgo/v2/ginkgo',
  nonewprivs: 'k8s.io/kubernetes/test/images/nonewprivs',
  'sample-apiserver': 'k8s.io/sample-apiserver',
} as const

export type E2ePrograms = Record<keyof typeof PROGRAMS | 'e2e.test', string>

/**
 * The paths of `e2e.test` of a Kubernetes version, of what runs it in parallel, and of the programs of its images.
 *
 * @throws {VplaneError} `FAILED` when they cannot be built.
 */
export async function ensureE2ePrograms(
  version: string,
  context: LabContext,
): Promise<E2ePrograms> {
  const place = { platform: platformOf(), programs: context.folder.programs }
  const folder = join(place.programs, 'e2e', version, formatPlatform(place.platform))
  const build = {
    ...nodeBuild(version, place),
    folder,
    title: `the tests of Kubernetes ${version}`,
  }
  const tests = { ...build, packages: { 'e2e.test': 'k8s.io/kubernetes/test/e2e' }, areTests: true }
  const built = {
    ...(await ensurePrograms(tests, context)),
    ...(await ensurePrograms({ ...build, packages: PROGRAMS }, context)),
  }
  const pathOf = (name: keyof E2ePrograms) => built[name] ?? ''
  return {
    agnhost: pathOf('agnhost'),
    'e2e.test': pathOf('e2e.test'),
    ginkgo: pathOf('ginkgo'),
    nonewprivs: pathOf('nonewprivs'),
    'sample-apiserver': pathOf('sample-apiserver'),
  }
}
