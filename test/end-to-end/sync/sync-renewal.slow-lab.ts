import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'
import { pod, serverContainer } from '../../support/host/planes/workloads.ts'

describeOnHost('a plane that runs pods', () => {
  let plane: SyncedPlane
  beforeAll(async () => {
    plane = await createSyncedPlane()
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  test('uses certificates that were renewed, without a restart', async () => {
    await run('web')
    const before = await syncerPods()

    await plane.cli.ok(['certs', 'rotate', 'dev', ...plane.place, '--yes'])
    // As long as a kubelet takes to bring it to the pod.
    await waitFor(async () => (await logs()).includes('loaded renewed certificates'), {
      what: 'the renewed certificates',
      timeoutMs: 240_000,
      intervalMs: 1000,
    })

    await run('later')
    // kube-apiserver closes its connections to kubelets when it takes up its own, whatever they are used for.
    await until('logs', async () => {
      const { stdout } = await plane.cli.kubectl(['logs', 'web'])
      return stdout.includes('Started HTTP server')
    })
    await until('exec', async () => {
      const exec = ['exec', 'later', '--', '/agnhost', '--version']
      return (await plane.cli.kubectl(exec)).stdout.includes('version')
    })
    expect(await syncerPods()).toBe(before)
    expect(await logs()).not.toContain('renewed certificates:')
  })

  async function run(name: string): Promise<void> {
    await plane.apply(pod(name, [serverContainer()]))
    await plane.ok('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s')
  }

  function logs(): Promise<string> {
    return plane.onHost('logs', 'deployment/vplane-dev-syncer', '--container=syncer')
  }

  /** Which pods, and how often their containers were started. */
  function syncerPods(): Promise<string> {
    const path = '{.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}'
    const ofSyncer = ['--selector', 'vplane.dev/component=syncer']
    return plane.onHost('get', 'pods', ...ofSyncer, '--output', `jsonpath=${path}`)
  }
})
