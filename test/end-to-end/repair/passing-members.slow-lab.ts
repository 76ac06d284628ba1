import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { isReadyPod } from '../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { lostOf, startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { type HostEtcd, openHostEtcd } from '../../support/host/damage/host-etcd.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? randomInt(2 ** 31))
const PATIENT = { timeout: 120_000, interval: 500 }

// In their order: all of them change one plane.
describeOnHost(
  `members of etcd whose data goes with their pods (seed ${SEED})`,
  { shuffle: false },
  () => {
    let cli: HostCli
    let at: string[]
    let plane: string[]
    let etcd: HostEtcd

    beforeAll(async () => {
      cli = await createHostCli()
      const namespace = cli.newNamespace()
      at = ['--namespace', namespace]
      plane = ['dev', ...at]
      await cli.ok(['create', ...plane, '--ephemeral', '--set', 'etcd.replicas=3'])
      etcd = await openHostEtcd(cli.lab, { name: 'dev', namespace }, 5)
      // Until its keeper has told them that there is data, one that comes without any may begin a cluster of its own.
      await waitFor(isClosed, { what: 'the keeper to close etcd', timeoutMs: PATIENT.timeout })
    })
    afterAll(async () => {
      await etcd[Symbol.asyncDispose]()
      await cli[Symbol.asyncDispose]()
    })

    test('are replaced by those with another flag, become five, though that is killed, and three again, and no write is lost', async () => {
      const before = await uids()
      const writer = await startWriter(cli, plane)

      await cli.ok(['set', ...plane, 'etcd.extraArgs.max-txn-ops=200', '--yes'])
      const replaced = await uids()
      const scaling = cli.start(['scale', ...plane, '--etcd', '5', '--yes'])
      await cli.host(['wait', `pod/${nameOf(3)}`, ...at, '--for=create', '--timeout=120s'])
      await scaling.kill()
      await cli.ok(['scale', ...plane, '--etcd', '5', '--yes'])
      const five = await etcd.members()
      await cli.ok(['scale', ...plane, '--etcd', '3', '--yes'])

      const { taken } = await writer.stop()
      expect(replaced).toHaveLength(3)
      expect(replaced.filter((uid) => before.includes(uid))).toEqual([])
      expect((await files()).join()).toContain('"max-txn-ops": 200')
      expect(five.toSorted()).toEqual([0, 1, 2, 3, 4].map((ordinal) => nameOf(ordinal)))
      expect((await etcd.members()).toSorted()).toEqual([0, 1, 2].map((one) => nameOf(one)))
      expect(taken.length).toBeGreaterThan(20)
      expect(await lostOf(cli, plane, taken)).toEqual([])
    })

    test('are replaced, whenever the keeper that does it is killed', async () => {
      const random = randomNumbers(SEED)
      const writer = await startWriter(cli, plane)
      const [former] = await uids(nameOf(1))

      await end(`pod/${nameOf(1)}`)
      for (let kills = 0; kills < 4; kills += 1) {
        await delay(random() * 3000)
        await end('pod', '--selector', 'vplane.dev/shared=keeper')
      }

      await expect.poll(() => uids(nameOf(1)), PATIENT).not.toEqual([former])
      await expect.poll(() => uids(), PATIENT).toHaveLength(3)
      await expect.poll(isClosed, PATIENT).toBe(true)
      const { taken } = await writer.stop()
      expect((await etcd.members()).toSorted()).toEqual([0, 1, 2].map((one) => nameOf(one)))
      expect(await lostOf(cli, plane, taken)).toEqual([])
    })

    function nameOf(ordinal: number): string {
      return `vplane-dev-etcd-${ordinal}`
    }

    /** Ends pods as a node does that loses its power. */
    async function end(...pods: string[]): Promise<void> {
      await cli.host(['delete', ...pods, ...at, '--wait=false', '--grace-period=0', '--force'])
    }

    /** Those of the pods of etcd that are ready, or of the one of a name. */
    async function uids(name?: string): Promise<string[]> {
      const selector = ['--selector', 'vplane.dev/component=etcd']
      const found = await cli.hostJson(['get', 'pods', ...at, ...selector])
      const pods: KubeObject[] = found.items
      return pods
        .filter((pod) => isReadyPod(pod) && (name ?? pod.metadata.name) === pod.metadata.name)
        .map(({ metadata }) => metadata.uid ?? '')
    }

    /** What the members of etcd are told when they start. */
    async function files(): Promise<string[]> {
      const { data } = await cli.hostJson(['get', 'configmap', 'vplane-dev-etcd', ...at])
      return Object.values<string>(data)
    }

    /** Whether an empty member is a loss from now on. */
    async function isClosed(): Promise<boolean> {
      return (await files()).every((file) => {
        const told = JSON.parse(file)
        const isAlone = !told['initial-cluster'].includes(',')
        return told['initial-cluster-state'] === 'existing' && isAlone
      })
    }
  },
)
