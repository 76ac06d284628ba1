import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HostObject } from '../../src/drivers/kubernetes/host-api.ts'
import { fieldOf } from '../../src/shared/stored-format.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { canRunLab } from '../lab/lab.ts'
import type { RunningCommand } from '../support/cli.ts'
import { type ConfigMapWriter, lostOf, startWriter } from '../support/config-map-writer.ts'
import { createHostCli, type HostCli } from '../support/host-cli.ts'
import { killContainer } from '../support/kill-container.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { type Operation, planRounds, type Victim } from './plan-rounds.ts'
import { createSyncedWorkload, type SyncedWorkload } from './synced-workload.ts'

/** `npm run test:faults` asks for fifty; with all other tests there are a few. */
const ROUNDS = Number(process.env['VPLANE_FAULT_ROUNDS'] ?? 6)
const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? 20_261_122)
const TIMEOUT_MS = 600_000

const rounds = planRounds(SEED, ROUNDS)

/** The one that can be upgraded needs images that a host cluster does not have yet. */
const VERSION = rounds.some(({ operation }) => operation === 'an upgrade') ? '1.35' : '1.36'

/** It is looked for by its name alone, as it moves about. */
const PLANE = 'rounds'
const SURE = [PLANE, '--yes']
const COMPLETE = [...SURE, '--stage', 'complete']

describe.skipIf(canRunLab({ isOwn: true }) !== undefined)(
  `operations on a plane of which something is killed (seed ${SEED})`,
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    const random = randomNumbers(SEED)
    let cli: HostCli
    let namespaces: [string, string]
    let members = 1
    let isUpgraded = false
    let writer: ConfigMapWriter | undefined
    /** What the plane has taken from writers that have ended. */
    let taken: string[] = []
    let running: RunningCommand | undefined
    /** What the plane runs, when it runs pods. */
    let workload: SyncedWorkload | undefined

    /** Prepares an operation, and says which commands it is. */
    const operations: Record<Operation, (round: number) => Promise<string[][]> | string[][]> = {
      'a change': (round) => [
        ['set', ...SURE, `apiServer.extraArgs.max-requests-inflight=${400 + round}`],
      ],
      'a scaling': () => {
        members = members === 1 ? 3 : 1
        return [['scale', ...SURE, '--etcd', String(members)]]
      },
      'an upgrade': async () => {
        if (isUpgraded) {
          await makeAnew(workload !== undefined)
        }
        isUpgraded = true
        return [['upgrade', ...SURE, '--version', '1.36']]
      },
      'a pause': () => [
        ['pause', PLANE, '--no-snapshot'],
        ['resume', PLANE],
      ],
      'a rotation of leaves': () => [['certs', 'rotate', ...SURE]],
      'a rotation of the CAs': () => [['certs', 'rotate-ca', ...COMPLETE]],
      'a rotation of the token key': () => [['certs', 'rotate-service-account-key', ...COMPLETE]],
      'a rotation of the encryption key': () => [['certs', 'rotate-encryption-key', ...COMPLETE]],
      'a snapshot': () => [['snapshot', 'create', PLANE]],
      'a restore': async (round) => {
        // What is written after the snapshot is lost, as it is to be.
        await stopWriter()
        const file = join(cli.root, `${round}.db`)
        return [
          ['snapshot', 'create', PLANE, '--output', file],
          ['restore', ...SURE, '--force', '--from', file],
        ]
      },
      'a move': () => {
        namespaces = [namespaces[1], namespaces[0]]
        // What lies on volumes of pods stays where it was.
        const flags = workload === undefined ? [] : ['--without-volumes']
        return [['move', ...SURE, '--to-namespace', namespaces[0], ...flags]]
      },
    }

    beforeAll(async () => {
      cli = await createHostCli()
      namespaces = [cli.newNamespace(), cli.newNamespace()]
      await cli.lab.loadPlaneImages(VERSION)
      await make(rounds[0]?.isSynced ?? false)
    }, TIMEOUT_MS)
    afterAll(async () => {
      await writer?.stop()
      await cli[Symbol.asyncDispose]()
    })

    test.for(rounds)(
      'round $round: $operation ends well though $victim is killed after $afterMs ms',
      async ({ afterMs, isSynced, operation, round, victim }) => {
        if (isSynced !== (workload !== undefined)) {
          await makeAnew(isSynced)
        }
        const commands = await operations[operation](round)
        const death = delay(afterMs).then(() => kill(victim))
        for (const command of commands) {
          await carryOut(command)
        }
        await death

        const going = (writer ??= await startWriter(cli))
        const { length } = await going.soFar()
        await waitFor(async () => (await going.soFar()).length > length, {
          what: 'another write that is taken',
          timeoutMs: 120_000,
        })
        const all = [...taken, ...(await going.soFar())]
        const secret = ['kubectl', 'get', 'secret', 'kept', '--output', 'jsonpath={.data.a}']
        expect(await lostOf(cli, [PLANE], all)).toEqual([])
        expect(await cli.ok(['connect', PLANE, '--', ...secret])).toBe('Yg==')
        if (operation === 'a move') {
          await workload?.bindAnew()
        }
        const faults = async () => (await workload?.faults(namespaces[0])) ?? []
        await expect.poll(faults, { timeout: 180_000, interval: 1000 }).toEqual([])
      },
    )

    /** Runs a command, and runs it again when it did not end well. */
    async function carryOut(words: readonly string[]): Promise<void> {
      running = cli.start(words)
      const { code } = await running.ended
      if (code !== 0) {
        await cli.ok(words)
      }
    }

    async function kill(victim: Victim): Promise<void> {
      if (victim === 'vplane') {
        running?.child.kill('SIGKILL')
        return
      }
      const selector = `vplane.dev/name=${PLANE},vplane.dev/component=${victim}`
      const pods = ['get', 'pods', '--all-namespaces', '--selector', selector, '--output', 'json']
      const { items }: { items: HostObject[] } = JSON.parse(await cli.host(pods))
      const ids = items.flatMap(({ status }) => containerIdsOf(status))
      const [id] = ids.slice(Math.floor(random() * ids.length))
      if (id !== undefined) {
        killContainer(id)
      }
    }

    async function makeAnew(isSynced: boolean): Promise<void> {
      await stopWriter()
      await cli.ok(['delete', ...SURE])
      taken = []
      members = 1
      isUpgraded = false
      await make(isSynced)
    }

    async function make(isSynced: boolean): Promise<void> {
      const place = ['--namespace', namespaces[0], '--connect']
      const spec = ['--version', VERSION, '--set', 'encryption.secrets=true']
      await cli.ok(['create', PLANE, ...place, ...spec, ...(isSynced ? ['--sync'] : [])])
      workload = isSynced ? await createSyncedWorkload(cli, PLANE) : undefined
      const secret = ['create', 'secret', 'generic', 'kept', '--from-literal=a=b']
      await cli.ok(['connect', PLANE, '--', 'kubectl', ...secret])
      writer = await startWriter(cli)
    }

    async function stopWriter(): Promise<void> {
      taken.push(...((await writer?.stop())?.taken ?? []))
      writer = undefined
    }
  },
)

/** The containers of a pod that run. */
function containerIdsOf(status: unknown): string[] {
  const found = fieldOf(status, 'containerStatuses')
  return (Array.isArray(found) ? found : [])
    .filter((container) => fieldOf(fieldOf(container, 'state'), 'running') !== undefined)
    .map((container) => String(fieldOf(container, 'containerID')))
}
