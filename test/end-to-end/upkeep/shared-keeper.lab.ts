import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

const PATIENT = { timeout: 120_000, interval: 500 }
const KEEPER = ['--selector', 'vplane.dev/shared=keeper']

// In their order: all of them are about the planes of one namespace.
describeOnHost('the keeper of several planes', { shuffle: false }, () => {
  let cli: HostCli
  let at: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    at = ['--namespace', await cli.makeNamespace(RESTRICTED)]
    await cli.ok(['create', 'one', ...at, '--set', 'renew=true'])
    await cli.ok(['create', 'two', ...at, '--idle', '30s'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('is one pod, which pauses the one that nobody uses, and watches the other', async () => {
    const pods = await keepers()
    await expect.poll(() => statusOf('two'), PATIENT).toBe('Paused')

    expect(pods).toHaveLength(1)
    expect(await keepers()).toEqual(pods)
    const metrics = () => cli.ok(['metrics', 'one', ...at, '--component', 'keeper'])
    await expect.poll(metrics, PATIENT).toContain('vplane_kube_apiserver_ready{plane="one"} 1')
    expect(await metrics()).not.toContain('plane="two"')
    expect(await cli.ok(['events', 'two', ...at])).toContain('PausedWhenIdle')
    expect(await cli.ok(['events', 'one', ...at])).not.toContain('PausedWhenIdle')
  })

  test('ends with the pause of the last one, and comes with the next start', async () => {
    await cli.ok(['pause', 'one', ...at, '--no-snapshot'])
    await expect.poll(keepers, PATIENT).toEqual([])

    await cli.ok(['resume', 'two', ...at])
    await expect.poll(keepers, PATIENT).toHaveLength(1)
    await expect.poll(() => statusOf('two'), PATIENT).toBe('Paused')
    await expect.poll(keepers, PATIENT).toEqual([])
  })

  test('stays when one of them is deleted, and is deleted with the last one', async () => {
    await cli.ok(['resume', 'one', ...at])
    await expect.poll(keepers, PATIENT).toHaveLength(1)
    const [before] = await keepers()

    await cli.ok(['delete', 'two', ...at, '--yes'])
    expect(await keepers()).toEqual([before])
    await cli.ok(['delete', 'one', ...at, '--yes'])

    const kinds = 'deployment,configmap,secret,serviceaccount,role,rolebinding,pod'
    const left = await cli.host(['get', kinds, ...at, '-o=name'])
    expect(left.split('\n').filter((name) => name.includes('vplane'))).toEqual([])
  })

  async function statusOf(name: string): Promise<string> {
    const { status }: PlaneDetails = await cli.json(['describe', name, ...at, '--json'])
    return status
  }

  /** The uids of the keeper's pods that are not about to end. */
  async function keepers(): Promise<Array<string | undefined>> {
    const { items } = await cli.hostJson(['get', 'pods', ...at, ...KEEPER])
    const pods: KubeObject[] = items
    return pods
      .filter(({ metadata }) => metadata['deletionTimestamp'] === undefined)
      .map(({ metadata }) => metadata.uid)
  }
})
