import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import type { SimulatedNodes } from '../../lab/simulated/add-simulated-nodes.ts'
import { MAY_BE_SIMULATED, ON_SIMULATED_NODES } from '../../lab/simulated/simulated-node.ts'
import { busyMachine } from '../../support/machine/busy-machine.ts'
import { killContainer } from '../../support/host/damage/kill-container.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'

const DEPLOYMENTS = 6
const PODS = 300
const KILLS = 4
/** Each of them changes every Deployment at once. */
const ROUNDS = 8

/** More than what it waits for may take in all. */
const TIMEOUT_MS = 900_000

const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? randomInt(2 ** 31))

describeOnHost(`a churn of ${PODS} pods (seed ${SEED})`, () => {
  let turn: AsyncDisposable
  let plane: SyncedPlane
  let nodes: SimulatedNodes
  let killed = 0
  beforeAll(async () => {
    turn = await busyMachine()
    plane = await createSyncedPlane(MAY_BE_SIMULATED)
    nodes = await plane.cli.lab.addSimulatedNodes({ count: 3 })
  })
  afterAll(async () => {
    await plane[Symbol.asyncDispose]()
    await nodes[Symbol.asyncDispose]()
    await turn[Symbol.asyncDispose]()
  })

  test(
    'loses nothing, makes nothing twice and leaves nothing while the syncer is killed',
    { timeout: TIMEOUT_MS },
    async () => {
      const random = randomNumbers(SEED)
      const names = Array.from({ length: DEPLOYMENTS }, (_, index) => `churn-${index}`)
      await plane.apply(...names.flatMap((name) => [settingsOf(name), deployment(name)]))

      await Promise.all([
        (async () => {
          for (let round = 0; round < ROUNDS; round += 1) {
            await Promise.all(
              names.map((name) => scale(name, Math.floor(random() * (PODS / DEPLOYMENTS)))),
            )
            await delay(random() * 1500)
          }
        })(),
        (async () => {
          for (let kill = 0; kill < KILLS; kill += 1) {
            await delay(random() * 2000)
            await killSyncer()
          }
        })(),
      ])
      await Promise.all(names.map((name) => scale(name, PODS / DEPLOYMENTS)))
      for (const name of names) {
        await plane.ok('rollout', 'status', `deployment/${name}`, '--timeout=180s')
      }
      await until(
        'pods that are leaving to be gone',
        async () => (await virtualPods()).length === PODS,
      )

      expect(killed).toBeGreaterThan(0)
      const virtual = await virtualPods()
      const host = await hostPods()
      expect(host.toSorted()).toEqual(virtual.toSorted())
      expect(await copies()).toEqual(names.map((name) => `configmap/${name}-x-default-x-dev`))

      await plane.ok('delete', 'deployments', ...names, '--wait=false')
      await killSyncer()
      await until('all host pods to be gone', async () => (await hostPods()).length === 0)
      await until('all copies to be gone', async () => (await copies()).length === 0)
    },
  )

  async function scale(name: string, replicas: number): Promise<void> {
    await plane.ok('scale', `deployment/${name}`, `--replicas=${replicas}`)
  }

  /** Ends the syncer as it stands, and has the host start it again without waiting, as it does with what dies often. */
  async function killSyncer(): Promise<void> {
    const found: { items: Pod[] } = JSON.parse(
      await plane.onHost('get', 'pods', '--selector=vplane.dev/component=syncer', '--output=json'),
    )
    for (const { metadata, status } of found.items) {
      const syncer = status.containerStatuses?.find(({ name }) => name === 'syncer')
      if (syncer?.state.running !== undefined) {
        killed += killContainer(syncer.containerID)
        const now = ['--grace-period=0', '--force', '--ignore-not-found']
        await plane.onHost('delete', 'pod', metadata.name, ...now)
      }
    }
  }

  /** UIDs of the pods in the plane that are there to stay. */
  async function virtualPods(): Promise<string[]> {
    const { items }: { items: Pod[] } = JSON.parse(
      await plane.ok('get', 'pods', '--output', 'json'),
    )
    return items.map(({ metadata }) => metadata.uid)
  }

  /** UIDs of the virtual pods of host pods. */
  async function hostPods(): Promise<string[]> {
    const { items }: { items: Pod[] } = JSON.parse(
      await plane.onHost('get', 'pods', '--selector', OURS, '--output', 'json'),
    )
    return items.map(({ metadata }) => metadata.annotations?.['vplane.dev/virtual-uid'] ?? '')
  }

  /** What the host has of what pods use, but for what every namespace has. */
  async function copies(): Promise<string[]> {
    const kinds = 'configmaps,secrets'
    const found = await plane.onHost('get', kinds, '--selector', OURS, '--output', 'name')
    return found
      .split('\n')
      .filter((name) => name !== '' && !/kube-root-ca|^secret\/.*token/.test(name))
  }
})

const OURS = 'vplane.dev/synced-by=dev'

interface Pod {
  metadata: { name: string; uid: string; annotations?: Record<string, string> }
  status: {
    containerStatuses?: Array<{ name: string; containerID: string; state: { running?: object } }>
  }
}

function settingsOf(name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { word: name } }
}

function deployment(name: string) {
  const labels = { app: name }
  const container = {
    name: 'main',
    image: 'example.com/nothing-runs-this',
    envFrom: [{ configMapRef: { name } }],
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...ON_SIMULATED_NODES,
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 1,
          containers: [container],
        },
      },
    },
  }
}
