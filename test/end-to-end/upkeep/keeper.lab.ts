import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import type { EventsResult } from '../../../src/commands/events.ts'
import type { SnapshotListResult } from '../../../src/commands/snapshot/list.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { HostPlane } from '../../support/host/planes/host-plane.ts'
import { signalContainer } from '../../support/host/damage/kill-container.ts'
import { machineAddress } from '../../support/host/machine-address.ts'
import { startVersitygw } from '../../support/programs/versitygw.ts'

/** The keeper looks every 3 s, on a machine that is busy. */
const TOLD_MS = 30_000

const UP = 'vplane_component_up{plane="dev",component="kube-controller-manager"}'

type Backup = NonNullable<PlaneDetails['backup']>

// In their order: all of them are about one plane.
describeOnHost('the keeper of a plane in a host cluster', { shuffle: false }, () => {
  let cli: HostCli
  let server: Awaited<ReturnType<typeof startVersitygw>>
  let at: string[]
  let plane: HostPlane
  let store: string

  beforeAll(async () => {
    cli = await createHostCli()
    server = await startVersitygw(machineAddress(cli.lab.kubeconfig))
    store = `s3://${server.bucket}/dev`
    const namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
    plane = new HostPlane(cli, namespace, 'dev')
    const literals = Object.entries(server.environment).map(
      ([name, value]) => `--from-literal=${name}=${value}`,
    )
    await cli.host(['create', 'secret', 'generic', 's3', ...at, ...literals])
    await cli.ok(['create', 'dev', ...at])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  test('comes with backups, and takes one that restores the plane', async () => {
    const spec = ['backup.schedule=*/2 * * * * *', `backup.store=${store}`, 'backup.secret=s3']
    await cli.ok(['connect', 'dev', ...at, '--', 'kubectl', 'create', 'configmap', 'backed-up'])

    const { stderr } = await cli.run(['set', 'dev', ...at, ...spec, '--yes'])
    const first = await untilBackup(({ last }) => last !== null)
    const later = await untilBackup(({ last }) => last?.id !== first.last?.id)
    // Those that need not stay are deleted as fast as they are taken.
    await cli.ok(['set', 'dev', ...at, 'backup.schedule=0 0 1 1 *', '--yes'])
    const { last } = await untilBackup(({ nextAt }) => nextAt?.includes('-01-01T') ?? false)
    const words = ['--from', `${store}/${last?.id}`, '--force', '--yes']
    await cli.ok(['restore', 'dev', ...at, ...words], { env: server.environment })

    const map = ['kubectl', 'get', 'configmap', 'backed-up', '-o=name']
    expect(stderr).toContain('create keeper')
    expect(later.failure).toBeNull()
    expect(await cli.ok(['connect', 'dev', ...at, '--', ...map])).toBe('configmap/backed-up\n')
  })

  test('has no more rights than its work takes', async () => {
    const account = `system:serviceaccount:${at[1]}:vplane-keeper`
    const rights = [
      'patch configmap/vplane-dev-keeper-status',
      'create events',
      'get lease/vplane-dev-lock',
      'get secret/vplane-dev-keeper',
      'get secret/s3',
      'list configmaps',
      'patch deployment/vplane-keeper',
    ]
    const others = [
      'update lease/vplane-dev-lock',
      'get secrets',
      'list secrets',
      'get secret/vplane-dev-kube-apiserver',
      'patch configmap/vplane-dev-keeper-settings',
      'patch deployments',
    ]

    expect(await cli.granted([...rights, ...others], ['--as', account, ...at])).toEqual(rights)
  })

  test('serves metrics of the plane, and reports once that a component stopped and that it works again', async () => {
    const workload = ['deployment/vplane-dev-kube-controller-manager', ...at]
    const own = namesIn(await cli.ok(['metrics', 'dev', ...at]))
    let well = ''
    await waitFor(
      async () => {
        // Its pod may be replaced just now.
        well = await figures().catch(() => '')
        return well.includes(`${UP} 1\n`) && own.every((name) => namesIn(well).includes(name))
      },
      { what: 'the keeper to know all of a plane that is well', timeoutMs: 120_000 },
    )

    const before = await said()
    await cli.host(['set', 'image', ...workload, 'kube-controller-manager=nowhere.invalid/none'])
    await expect.poll(said, { timeout: 60_000 }).toEqual([...before, 'ComponentNotReady'])
    await expect.poll(figures).toContain(`${UP} 0\n`)
    await cli.host(['rollout', 'undo', ...workload])
    const both = [...before, 'ComponentNotReady', 'ComponentReady']
    await expect.poll(said, { timeout: 60_000 }).toEqual(both)
  })

  test('says nothing of what vplane itself stops for a moment', async () => {
    const before = await said()
    const flags = ['etcd.extraArgs.max-txn-ops=200', 'controllerManager.extraArgs.v=3']

    await cli.ok(['set', 'dev', ...at, ...flags, '--yes'])

    await expect.poll(figures, { timeout: 60_000 }).not.toMatch(/^vplane_component_up.* 0$/m)
    expect(await said()).toEqual(before)
  })

  test('continues when its pod was deleted, and keeps no other backups than those that shall stay', async () => {
    const spec = ['backup.schedule=*/2 * * * * *', 'backup.keep.hourly=1']
    await cli.ok(['set', 'dev', ...at, ...spec, '--yes'])
    const { last } = await untilBackup((backup) => backup.last !== null)
    const selector = 'vplane.dev/shared=keeper'
    await cli.host(['delete', 'pod', ...at, '--selector', selector, '--wait=false'])

    await untilBackup((backup) => backup.last?.id !== last?.id)

    const list = ['snapshot', 'list', '--store', store, '--json']
    const count = async () => {
      const text = await cli.ok(list, { env: server.environment })
      const { items }: SnapshotListResult = JSON.parse(text)
      return items.length
    }
    await expect.poll(count).toBeLessThanOrEqual(3)
  })

  test('shows failures in describe, list and Events', async () => {
    await cli.ok(['set', 'dev', ...at, 'backup.store=s3://nowhere-at-all/dev', '--yes'])

    const { failure } = await untilBackup((backup) => backup.failure !== null)
    const { stderr } = await cli.run(['list', ...at])
    const told = await cli.ok(['events', 'dev', ...at])

    expect(failure?.reason).toContain('cannot use s3://nowhere-at-all/dev/')
    expect(stderr).toContain('warning: the backup of "dev" failed: cannot use s3://nowhere')
    expect(told).toContain('BackupFailed')
    expect(told).toContain('BackedUp')
    expect(told).not.toContain(server.environment.AWS_SECRET_ACCESS_KEY)
  })

  test('reports within seconds that a component hangs, as list and describe do, and that it continues', async () => {
    // What has not been ready yet may only need time.
    await plane.untilReady()
    await expect.poll(figures).toContain(`${UP} 1\n`)
    const before = await said()
    const { containerId, name } = await plane.readyPodOf('kube-controller-manager')

    signalContainer(containerId, 'SIGSTOP')
    await expect.poll(() => plane.phase()).toBe('NotReady')
    const listed = await cli.ok(['list', ...at])
    await expect.poll(said, { timeout: 60_000 }).toEqual([...before, 'ComponentNotReady'])
    const told = (await events()).findLast(({ reason }) => reason === 'ComponentNotReady')
    const since = '{.status.conditions[?(@.type=="Ready")].lastTransitionTime}'
    const noticed = await cli.host(['get', 'pod', name, ...at, '--output', `jsonpath=${since}`])
    signalContainer(containerId, 'SIGCONT')
    const both = [...before, 'ComponentNotReady', 'ComponentReady']
    await expect.poll(said, { timeout: 60_000 }).toEqual(both)

    // The host takes its time to notice: it counts from then.
    const toldMs = Date.parse(told?.at ?? '') - Date.parse(noticed)
    expect(listed).toMatch(/^dev .*NotReady/m)
    expect(toldMs).toBeLessThan(TOLD_MS)
  })

  test('goes when nothing needs it, and leaves nothing', async () => {
    await cli.ok(['set', 'dev', ...at, 'backup-', '--yes'])

    for (const selector of ['vplane.dev/component=keeper', 'vplane.dev/shared=keeper']) {
      const kinds = 'deployment,configmap,secret,serviceaccount,role,rolebinding'
      const left = await cli.host(['get', kinds, ...at, '--selector', selector, '-o=name'])

      expect(left).toBe('')
    }
  })

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'dev', ...at, '--json'])
  }

  /** What the keeper says of the plane at /metrics. */
  async function figures(): Promise<string> {
    const pods = `/api/v1/namespaces/${at[1]}/pods`
    const { name } = await plane.readyPodOf('keeper')
    return cli.host(['get', '--raw', `${pods}/${name}:10253/proxy/metrics`])
  }

  /** What was told of components. */
  async function said(): Promise<string[]> {
    return (await events()).map(({ reason }) => reason).filter((one) => one.startsWith('Component'))
  }

  async function events(): Promise<EventsResult['items']> {
    const result: EventsResult = await cli.json(['events', 'dev', ...at, '--json'])
    return result.items
  }

  function namesIn(metrics: string): string[] {
    return metrics.match(/^vplane_[^ ]+/gm) ?? []
  }

  function untilBackup(isMeant: (backup: Backup) => boolean): Promise<Backup> {
    return waitFor(
      async () => {
        const { backup } = await described()
        return backup !== null && isMeant(backup) && backup
      },
      { what: 'the backup', timeoutMs: 120_000, intervalMs: 500 },
    )
  }
})
