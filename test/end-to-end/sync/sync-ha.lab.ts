import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { AGNHOST_IMAGE } from '../../lab/images/lab-images.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'

const SYNCERS = ['--selector', 'vplane.dev/component=syncer']

// In their order: each is about the leader that the one before has left.
describeOnHost('a plane with two syncers', { shuffle: false }, () => {
  let plane: SyncedPlane

  beforeAll(async () => {
    plane = await createSyncedPlane(['--set', 'sync.replicas=2'])
    await plane.onHost('wait', 'pods', ...SYNCERS, '--for=condition=Ready', '--timeout=120s')
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  test('has one that works, and reaches pods through either', async () => {
    await run('first')
    const ask = ['/agnhost', 'connect', 'kubernetes.default:443', '--timeout=5s']
    await until('a way', async () => {
      await plane.ok('exec', 'first', '--', ...ask)
      return true
    })

    // Each request goes to one of them, and so does each question for a name.
    for (const _ of Array.from({ length: 6 })) {
      expect(await plane.ok('exec', 'first', '--', '/agnhost', '--version')).toContain('version')
      await plane.ok('exec', 'first', '--', ...ask)
    }
    const ready = '{range .items[*].status.containerStatuses[?(@.ready)]}{.name} {end}'
    const containers = await plane.onHost('get', 'pods', ...SYNCERS, `--output=jsonpath=${ready}`)
    expect(containers.trim().split(' ').toSorted()).toEqual(['dns', 'dns', 'syncer', 'syncer'])
    const names = await plane.onHost('get', 'pods', ...SYNCERS, '--output', 'name')
    expect(names.trim().split('\n')).toHaveLength(2)
    expect(names).toContain(await leader())
  })

  test('continues when the syncer that works is told to stop', async () => {
    const former = await leader()
    await plane.onHost('delete', 'pod', former, '--wait=false')

    await expectAnother(former)
    await run('second')
  })

  test('continues when the syncer that works is killed', async () => {
    await plane.onHost('rollout', 'status', 'deployment/vplane-dev-syncer', '--timeout=120s')
    const former = await leader()
    await kill(former)

    await expectAnother(former)
    await run('third')
    expect(await plane.ok('get', 'nodes')).toMatch(/ Ready /)
  })

  test('leaves nothing on the host', async () => {
    await plane.cli.ok(['delete', 'dev', ...plane.place, '--yes'])

    const namespaces = await plane.cli.host(['get', 'namespaces', '--output', 'name'])
    expect(namespaces).not.toContain(plane.place[1])
  })

  /** Runs a pod in the plane and waits until it is ready. */
  async function run(name: string): Promise<void> {
    await plane.ok('run', name, `--image=${AGNHOST_IMAGE}`, '--', 'pause')
    await plane.ok('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s')
  }

  /** Name of the pod of the syncer that works; empty when none does. */
  async function leader(): Promise<string> {
    const output = ['--output', 'jsonpath={.spec.holderIdentity}', '--ignore-not-found']
    const holder = await plane.onHost('get', 'lease', 'vplane-dev-syncer', ...output)
    return holder.split('_')[0] ?? ''
  }

  async function expectAnother(former: string): Promise<void> {
    await until('another leader', async () => !['', former].includes(await leader()))
  }

  /** As a node that fails: nobody is told before, and the pod does not come back. */
  async function kill(pod: string): Promise<void> {
    const status = `{.status.containerStatuses[?(@.name=="syncer")].containerID}`
    const id = await plane.onHost('get', 'pod', pod, '--output', `jsonpath=${status}`)
    const ctr = ['ctr', '--address', '/run/containerd/containerd.sock', '--namespace', 'k8s.io']
    const container = id.replace('containerd://', '')
    await plane.cli.lab.execOnNode([...ctr, 'tasks', 'kill', '--signal', 'SIGKILL', container])
    await plane.onHost('delete', 'pod', pod, '--grace-period=0', '--force', '--wait=false')
  }
})
