import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_KUBERNETES_VERSION } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { type E2ePrograms, ensureE2ePrograms } from '../../conformance/e2e-programs.ts'
import { ensureE2eImages } from '../../conformance/images/ensure-e2e-images.ts'
import { runSpecs } from '../../conformance/run-specs.ts'
import { stderrUi } from '../../support/cli/stderr-ui.ts'
import { createHostCli } from '../../support/host/host-cli.ts'
import { describeInOwnLab } from '../describe-lab.ts'
import { labContext } from '../lab-context.ts'
import { startLab } from '../lab.ts'

/** With the time that others may take before it is their turn. */
const TURN = { timeout: 3_600_000 }

/** Some kernels are built without SCTP, and its specs fail there. */
const WITHOUT_SCTP = '!(Feature: containsAny SCTPConnectivity)'

describeInOwnLab('network policies', TURN, () => {
  const { signal } = new AbortController()
  const context = labContext(stderrUi('netpol'), signal)
  let programs: E2ePrograms

  beforeAll(async () => {
    programs = await ensureE2ePrograms(DEFAULT_KUBERNETES_VERSION, context)
  })

  test("pass Kubernetes' own tests", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'lab-netpol-'))
    await using lab = await startLab({ isOwn: true, nodes: 2 })
    await using cli = await createHostCli({ lab })
    const { etcd, kubectl } = cli.binaries
    const images = await ensureE2eImages(DEFAULT_KUBERNETES_VERSION, { ...programs, etcd }, context)
    await lab.loadImage(images)

    const outcomes = await runSpecs(
      {
        programs: { ...programs, kubectl },
        kubeconfig: lab.kubeconfigPath,
        folder: folder.path,
        environment: cli.environment,
        signal,
      },
      { name: 'netpol', focus: 'Netpol', labels: WITHOUT_SCTP, processes: 4 },
    )

    expect(outcomes.filter(({ state }) => state === 'failed')).toEqual([])
    // Of Kubernetes 1.36; fewer would mean that the selection is wrong.
    expect(outcomes.length).toBeGreaterThanOrEqual(47)
  })
})
