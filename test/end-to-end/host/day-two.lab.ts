import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HostObject } from '../../../src/drivers/kubernetes/host-api.ts'
import { isReadyPod } from '../../../src/drivers/kubernetes/status/look.ts'
import { canRunLab } from '../../lab/lab.ts'
import { lostOf, startWriter } from '../../support/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host-cli.ts'
import { hostObjects } from '../../support/host-objects.ts'

const TIMEOUT_MS = 600_000

// In their order: all of them change one plane.
describe.skipIf(canRunLab() !== undefined)(
  'the second day of a plane',
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    let cli: HostCli
    let namespace: string
    let day: string[]

    beforeAll(async () => {
      cli = await createHostCli()
      namespace = cli.newNamespace()
      day = ['day', '--namespace', namespace]
      await cli.lab.loadPlaneImages('1.35')
      await cli.ok(['create', ...day, '--version', '1.35'])
    })
    afterAll(async () => {
      await cli[Symbol.asyncDispose]()
    })

    test('a flag replaces the pods of its component alone, and a fixed field is refused', async () => {
      const before = await pods()

      const fixed = await cli.run(['set', ...day, 'clusterDomain=other', '--yes'])
      const nobody = await cli.run(['set', ...day, 'apiServer.extraArgs.v=2'])
      const { stderr } = await cli.run(['set', ...day, 'apiServer.extraArgs.v=2', '--yes'])
      const again = await cli.ok(['set', ...day, 'apiServer.extraArgs.v=2', '--yes'])

      const after = await pods()
      expect([fixed.code, nobody.code]).toEqual([2, 2])
      expect(fixed.stderr).toContain('"clusterDomain" stays')
      expect(stderr).toContain('  1. replace the pods of kube-apiserver\n')
      expect(stderr).not.toContain('  2. ')
      expect(again).toBe('"day" is like that already.\n')
      expect(after.get('etcd')).toEqual(before.get('etcd'))
      expect(after.get('kube-controller-manager')).toEqual(before.get('kube-controller-manager'))
      expect(after.get('kube-apiserver')).not.toEqual(before.get('kube-apiserver'))
    })

    test('etcd gets members and loses them, and no write that was taken', async () => {
      const writer = await startWriter(cli, day)

      const even = await cli.run(['scale', ...day, '--etcd', '2', '--yes'])
      await cli.ok(['scale', ...day, '--etcd', '3', '--yes'])
      const three = await volumes()
      await cli.ok(['scale', ...day, '--etcd', '1', '--yes'])

      const { taken } = await writer.stop()
      expect(even.code).toBe(2)
      expect(three).toHaveLength(3)
      expect(await volumes()).toEqual(['persistentvolumeclaim/data-vplane-day-etcd-0'])
      expect(taken.length).toBeGreaterThan(20)
      expect(await lostOf(cli, day, taken)).toEqual([])
    })

    test('a scaling that was killed is gone on with by the same command', async () => {
      const scaling = cli.start(['scale', ...day, '--etcd', '3', '--yes'])
      await cli.host(['wait', 'pod/vplane-day-etcd-1', '--namespace', namespace, '--for=create'])
      scaling.child.kill('SIGKILL')
      await scaling.ended

      await cli.ok(['scale', ...day, '--etcd', '3', '--yes'])
      const three = await volumes()
      await cli.ok(['scale', ...day, '--etcd', '1', '--yes'])

      expect(three).toHaveLength(3)
    })

    test('an upgrade takes away what only the templates of an older vplane had', async () => {
      const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'day' }
      const former = (apiVersion: string, kind: string, name: string) => ({
        apiVersion,
        kind,
        metadata: { name, namespace, labels },
      })
      const kinds = [
        former('v1', 'ConfigMap', 'vplane-day-former'),
        former('v1', 'Secret', 'vplane-day-former'),
        former('policy/v1', 'PodDisruptionBudget', 'vplane-day-former'),
      ]
      const list = { apiVersion: 'v1', kind: 'List', items: kinds }
      await cli.host(['apply', '--server-side', '--field-manager=vplane', '-f', '-'], list)
      await cli.host(['create', '-f', '-'], former('v1', 'ConfigMap', 'vplane-day-mine'))
      const before = await pods()

      const { stderr } = await cli.run(['upgrade', ...day, '--yes'])
      const again = await cli.ok(['upgrade', ...day, '--yes'])

      const found = 'configmap,secret,poddisruptionbudget'
      const names = await cli.host(['get', found, '--namespace', namespace, '--output', 'name'])
      expect(stderr).toContain(
        '  1. remove ConfigMap "vplane-day-former"\n  2. remove PodDisruptionBudget "vplane-day-former"\n',
      )
      expect(stderr).not.toContain('  3. ')
      expect(again).toContain('"day" is like that already.')
      expect(names.split('\n').filter((name) => /(former|mine)$/.test(name))).toEqual([
        'configmap/vplane-day-mine',
        'secret/vplane-day-former',
      ])
      expect(await pods()).toEqual(before)
    })

    test('an upgrade loses nothing, and takes no kube-apiserver away before the next one is ready', async () => {
      const writer = await startWriter(cli, day)

      const back = await cli.run(['upgrade', ...day, '--version', '1.34', '--yes'])
      await cli.ok(['upgrade', ...day, '--version', '1.36', '--yes'])

      const { failures, taken } = await writer.stop()
      const { version } = JSON.parse(await cli.ok(['describe', ...day, '--json']))
      expect(back.code).toBe(2)
      expect(version).toBe('1.36.3')
      expect(await lostOf(cli, day, taken)).toEqual([])
      // A connection that is open goes on; one that is made in the moment of a change may have to be made again.
      expect(failures.length).toBeLessThan(taken.length / 10)
    })

    test('all of it goes with the plane', async () => {
      await cli.ok(['delete', ...day, '--yes'])

      expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
    })

    /** The pods that run, by their component. */
    async function pods(): Promise<Map<string, string[]>> {
      const { items }: { items: HostObject[] } = JSON.parse(
        await cli.host(['get', 'pods', '--namespace', namespace, '--output', 'json']),
      )
      const living = items.filter(isReadyPod).map(({ metadata }) => metadata)
      const names = ['etcd', 'kube-apiserver', 'kube-controller-manager']
      return new Map(
        names.map((name) => [
          name,
          living
            .filter(({ labels }) => labels?.['vplane.dev/component'] === name)
            .map(({ uid = '' }) => uid),
        ]),
      )
    }

    async function volumes(): Promise<string[]> {
      const found = await cli.host(['get', 'pvc', '--namespace', namespace, '--output', 'name'])
      return found.split('\n').filter((name) => name !== '')
    }
  },
)
