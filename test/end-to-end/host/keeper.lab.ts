import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/plane-result.ts'
import type { EventsResult } from '../../../src/commands/events.ts'
import type { SnapshotListResult } from '../../../src/commands/snapshot/list.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { canRunLab } from '../../lab/lab.ts'
import { createHostCli, type HostCli } from '../../support/host-cli.ts'
import { signalContainer } from '../../support/kill-container.ts'
import { machineAddress } from '../../support/machine-address.ts'
import { startVersitygw } from '../../support/versitygw.ts'

const TIMEOUT_MS = 300_000

/** The host has asked a component that hangs in vain by then; the keeper looks every 3 s, and the machine is busy. */
const SLACK_MS = 5000

type Backup = NonNullable<PlaneDetails['backup']>

// In their order: all of them are about one plane.
describe.skipIf(canRunLab() !== undefined)(
  'the keeper of a plane in a host cluster',
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    let cli: HostCli
    let server: Awaited<ReturnType<typeof startVersitygw>>
    let at: string[]
    let store: string

    beforeAll(async () => {
      cli = await createHostCli()
      server = await startVersitygw(machineAddress(cli.lab.kubeconfig))
      store = `s3://${server.bucket}/dev`
      const namespace = await cli.makeNamespace({
        'pod-security.kubernetes.io/enforce': 'restricted',
      })
      at = ['--namespace', namespace]
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
      expect(stderr).toContain('make keeper')
      expect(later.failure).toBeNull()
      expect(await cli.ok(['connect', 'dev', ...at, '--', ...map])).toBe('configmap/backed-up\n')
    })

    test('has no more rights than its work takes', async () => {
      const account = `system:serviceaccount:${at[1]}:vplane-dev-keeper`
      const can = (...words: string[]) =>
        cli.host(['auth', 'can-i', ...words, '--as', account, ...at]).then(
          () => true,
          () => false,
        )

      expect(await can('patch', 'configmap/vplane-dev-keeper-status')).toBe(true)
      expect(await can('create', 'events')).toBe(true)
      expect(await can('get', 'lease/vplane-dev-lock')).toBe(true)
      expect(await can('update', 'lease/vplane-dev-lock')).toBe(false)
      expect(await can('get', 'deployment/vplane-dev-kube-controller-manager')).toBe(true)
      expect(await can('get', 'deployment/vplane-dev-kube-apiserver')).toBe(false)
      expect(await can('get', 'secrets')).toBe(false)
      expect(await can('patch', 'configmap/vplane-dev-keeper')).toBe(false)
      expect(await can('patch', 'deployments')).toBe(false)
    })

    test('serves how the plane works, and says once that a component is gone and is back', async () => {
      const workload = ['deployment/vplane-dev-kube-controller-manager', ...at]
      const up = 'vplane_component_up{plane="dev",component="kube-controller-manager"}'
      const own = namesIn(await cli.ok(['metrics', 'dev', ...at]))
      let well = ''
      await waitFor(
        async () => {
          well = await figures()
          return well.includes(`${up} 1\n`) && own.every((name) => namesIn(well).includes(name))
        },
        { what: 'the keeper to know all of a plane that is well', timeoutMs: 60_000 },
      )

      await cli.host(['set', 'image', ...workload, 'kube-controller-manager=nowhere.invalid/none'])
      await expect.poll(said, { timeout: 30_000 }).toEqual(['ComponentNotReady'])
      const ill = await figures()
      await cli.host(['rollout', 'undo', ...workload])
      await expect.poll(said, { timeout: 60_000 }).toEqual(['ComponentNotReady', 'ComponentReady'])

      expect(ill).toContain(`${up} 0\n`)
    })

    test('says nothing of what vplane itself stops for a moment', async () => {
      const before = await said()
      const flags = ['etcd.extraArgs.max-txn-ops=200', 'controllerManager.extraArgs.v=3']

      await cli.ok(['set', 'dev', ...at, ...flags, '--yes'])

      await expect.poll(figures, { timeout: 30_000 }).not.toMatch(/^vplane_component_up.* 0$/m)
      expect(await said()).toEqual(before)
    })

    test('goes on when its pod is gone, and keeps none but those that are to stay', async () => {
      const spec = ['backup.schedule=*/2 * * * * *', 'backup.keep.hourly=1']
      await cli.ok(['set', 'dev', ...at, ...spec, '--yes'])
      const { last } = await untilBackup((backup) => backup.last !== null)
      const selector = 'vplane.dev/component=keeper'
      await cli.host(['delete', 'pod', ...at, '--selector', selector, '--wait=false'])

      await untilBackup((backup) => backup.last?.id !== last?.id)
      const { snapshots }: SnapshotListResult = JSON.parse(
        await cli.ok(['snapshot', 'list', '--store', store, '--json'], { env: server.environment }),
      )

      expect(snapshots.length).toBeLessThanOrEqual(3)
    })

    test('says in describe, list and Events what goes wrong', async () => {
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

    test('says within seconds that a component hangs, as list and describe do, and that it goes on', async () => {
      const status = async () => (await described()).status
      // What has not been ready yet may only need time.
      await expect.poll(status, { timeout: 60_000 }).toBe('Ready')
      const before = await said()
      const containerId = await manager()
      const stoppedAt = Date.now()

      signalContainer(containerId, 'SIGSTOP')
      await expect.poll(status, { timeout: 30_000 }).toBe('NotReady')
      const listed = await cli.ok(['list', ...at])
      await expect.poll(said, { timeout: 30_000 }).toEqual([...before, 'ComponentNotReady'])
      const told = (await events()).findLast(({ reason }) => reason === 'ComponentNotReady')
      signalContainer(containerId, 'SIGCONT')
      const both = [...before, 'ComponentNotReady', 'ComponentReady']
      await expect.poll(said, { timeout: 30_000 }).toEqual(both)

      const toldMs = Date.parse(told?.at ?? '') - stoppedAt
      expect(listed).toMatch(/^dev .*NotReady/m)
      expect(toldMs).toBeLessThan(10_000 + SLACK_MS)
    })

    test('goes when nothing needs it, and leaves nothing', async () => {
      await cli.ok(['set', 'dev', ...at, 'backup-', '--yes'])

      const selector = 'vplane.dev/component=keeper'
      const kinds = 'deployment,configmap,secret,serviceaccount,role,rolebinding'
      const left = await cli.host(['get', kinds, ...at, '--selector', selector, '-o=name'])

      expect(left).toBe('')
    })

    /** The container of kube-controller-manager. */
    async function manager(): Promise<string> {
      const selector = ['--selector', 'vplane.dev/component=kube-controller-manager']
      const output = 'jsonpath={.items[0].status.containerStatuses[0].containerID}'
      return cli.host(['get', 'pods', ...at, ...selector, '--output', output])
    }

    async function described(): Promise<PlaneDetails> {
      return JSON.parse(await cli.ok(['describe', 'dev', ...at, '--json']))
    }

    /** What the keeper says of the plane at /metrics. */
    async function figures(): Promise<string> {
      const pods = `/api/v1/namespaces/${at[1]}/pods`
      const selected = ['--selector', 'vplane.dev/component=keeper', '-o=name']
      const keeper = (await cli.host(['get', 'pods', ...at, ...selected])).trim().slice(4)
      return cli.host(['get', '--raw', `${pods}/${keeper}:10253/proxy/metrics`])
    }

    /** What was told of components. */
    async function said(): Promise<string[]> {
      return (await events())
        .map(({ reason }) => reason)
        .filter((one) => one.startsWith('Component'))
    }

    async function events(): Promise<EventsResult['events']> {
      const result: EventsResult = JSON.parse(await cli.ok(['events', 'dev', ...at, '--json']))
      return result.events
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
  },
)
