import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureE2ePrograms } from '../../conformance/e2e-programs.ts'
import { ensureE2eImages } from '../../conformance/images/ensure-e2e-images.ts'
import { createPlaneForSpecs } from '../../conformance/plane-for-specs.ts'
import { QUICK_FOCUS } from '../../conformance/quick-specs.ts'
import { runSpecs } from '../../conformance/run-specs.ts'
import { describeInOwnLab } from '../../lab/describe-lab.ts'
import { type LabContext, labContext } from '../../lab/lab-context.ts'
import { startLab } from '../../lab/lab.ts'
import { stderrUi } from '../../support/cli/stderr-ui.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { NEWEST, OLDEST } from '../../support/host/version-pairs.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const TIMEOUT_MS = 3_600_000

const VERSIONS = [OLDEST, NEWEST]

/** They wait most of their time. */
const PROCESSES = 8

describeInOwnLab('specs of Kubernetes', () => {
  describe.for(VERSIONS)('on a host of %s', (version) => {
    const running = new AsyncDisposableStack()
    let context: LabContext
    let cli: HostCli
    beforeAll(async () => {
      const ending = new AbortController()
      running.defer(() => ending.abort(new Error('the tests have ended')))
      context = labContext(stderrUi('specs'), ending.signal)
      const lab = await startLab({ isOwn: true, version, planeVersions: VERSIONS })
      cli = running.use(await createHostCli({ lab: running.use(lab) }))
    })
    afterAll(() => running.disposeAsync())

    test.for(VERSIONS)('pass in a plane of %s', { timeout: TIMEOUT_MS }, async (plane) => {
      await using folder = await temporaryFolder()
      const { etcd, kubectl } = cli.binaries
      const programs = await ensureE2ePrograms(plane, context)
      await cli.lab.loadImage(await ensureE2eImages(plane, { ...programs, etcd }, context))
      const flags = ['--sync', '--version', plane]
      const request = { name: 'specs', flags, folder: folder.path }

      const { kubeconfig, place } = await createPlaneForSpecs(cli, request)
      const runner = {
        programs: { ...programs, kubectl },
        kubeconfig,
        folder: folder.path,
        environment: cli.environment,
        signal: context.signal,
      }
      const labels = 'Conformance && !Serial'
      const selection = { name: 'quick', focus: QUICK_FOCUS, labels, processes: PROCESSES }
      const outcomes = await runSpecs(runner, selection)
      await cli.ok(['delete', ...place, '--yes'])

      expect(outcomes.filter(({ state }) => state !== 'passed')).toEqual([])
      expect(outcomes.length).toBeGreaterThanOrEqual(40)
    })
  })
})
