import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { READY_AGAIN } from '../../../src/control-plane/api/readiness.ts'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { comeAgain, type ComeAgainOptions, unexpectedOf } from './come-again.ts'
import type { PlaneUser } from '../driver/plane-requests.ts'
import type { HostCli } from './host-cli.ts'

const PATIENT = { timeout: 120_000, interval: 250 }

/** How long a client continues to come when it no longer needs the gateway, in milliseconds. */
const LED_BACK_MS = 2000

/** A plane "dev" with `idle` that any client wakes. */
export interface WokenPlane {
  cli: HostCli
  /** The flags that name its host namespace. */
  at: readonly string[]
}

/** Runs kubectl in a plane until it is answered. */
type Kubectl = (args: readonly string[]) => Promise<string>

/** A client that comes every 20 ms. */
interface RoundsClient extends Omit<ComeAgainOptions, 'outcomes'> {
  url: string
  /** Writes to the plane: what never writes keeps it running after the third time. @default nothing */
  write?: (name: string) => Promise<unknown>
}

/**
 * Has a client wake a paused plane so many times. It comes from when no pod of the plane is left until its endpoint leads to
 * the plane again, and must not be refused.
 */
export async function expectWakes(
  plane: WokenPlane,
  { write, ...client }: RoundsClient,
  rounds = 1,
): Promise<void> {
  const servers = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    await untilPaused(plane)
    await expectServed(plane, client, async () => {
      await expect.poll(() => isLedBack(plane), PATIENT).toBe(true)
      servers.add(await apiServersOf(plane))
      await write?.(`round-${round}`)
      await delay(LED_BACK_MS)
    })
  }
  expect([...servers]).toHaveLength(rounds)
  expect([...servers]).not.toContain('')
}

/**
 * A client that lists ConfigMaps with the token of a ServiceAccount. It would see if the plane answered before it knew the
 * token (401) or the rights of the ServiceAccount (403).
 */
export async function readingClient(
  { ca, server }: Pick<PlaneUser, 'ca' | 'server'>,
  kubectl: Kubectl,
): Promise<RoundsClient> {
  const account = '--serviceaccount=default:default'
  await kubectl(['create', 'rolebinding', 'reader', '--clusterrole=view', account])
  const token = await kubectl(['create', 'token', 'default', '--duration=24h'])
  return {
    url: `${server}/api/v1/namespaces/default/configmaps`,
    ca,
    token: token.trim(),
    write: writingWith(kubectl),
  }
}

/** A client that only asks whether the plane is ready, which is no use of it. */
export function anonymousClient(
  { ca, server }: Pick<PlaneUser, 'ca' | 'server'>,
  kubectl: Kubectl,
): RoundsClient {
  return { url: server + READY_AGAIN, ca, write: writingWith(kubectl) }
}

function writingWith(kubectl: Kubectl) {
  return (name: string) => kubectl(['create', 'configmap', name])
}

/** Has a client come to a plane that runs until it has interrupted a pause. Its kube-apiserver does not end. */
export async function expectInterruptedPause(
  plane: WokenPlane,
  { write, ...client }: RoundsClient,
): Promise<void> {
  const { count = 0 } = (await describedBy(plane)).wakes ?? {}
  const before = await apiServersOf(plane)
  await expectServed(plane, client, async () => {
    const wakes = async () => (await describedBy(plane)).wakes?.count
    await expect.poll(wakes, PATIENT).toBeGreaterThan(count)
    await write?.('interrupted')
  })
  expect(await apiServersOf(plane)).toBe(before)
}

/** Waits until a plane is paused, and nothing of it runs. */
export async function untilPaused(plane: WokenPlane): Promise<void> {
  await expect.poll(() => podsOf(plane), PATIENT).toBe('')
  await expect.poll(async () => (await describedBy(plane)).status, PATIENT).toBe('Paused')
}

/** Has a client come while something happens that wakes the plane. */
async function expectServed(
  plane: WokenPlane,
  { url, ...tls }: RoundsClient,
  during: () => Promise<void>,
): Promise<void> {
  const before = (await describedBy(plane)).wakes?.count ?? 0
  const outcomes = new Map<string, number>()
  using client = comeAgain(url, { ...tls, outcomes })
  await during()
  await expect.poll(() => outcomes.get('200'), PATIENT).toBeGreaterThan(100)
  await client.end()

  // On a busy machine, the plane may begin another pause before its endpoint leads back.
  expect((await describedBy(plane)).wakes?.count).toBeGreaterThan(before)
  expect(unexpectedOf(outcomes)).toEqual([])
}

/** Whether new connections reach the plane without its gateway, whichever it has. */
async function isLedBack({ at, cli }: WokenPlane): Promise<boolean> {
  const service = ['get', 'service', 'vplane-dev-api', '-o=jsonpath={.spec.selector}']
  const managed = ['--selector', 'endpointslice.kubernetes.io/managed-by=vplane-operator']
  const slices = await cli.host(['get', 'endpointslices', ...managed, '-o=name', ...at])
  return slices === '' && (await cli.host([...service, ...at])).includes('kube-apiserver')
}

function apiServersOf(plane: WokenPlane): Promise<string> {
  return podsOf(plane, ',vplane.dev/component=kube-apiserver')
}

function podsOf({ at, cli }: WokenPlane, more = ''): Promise<string> {
  return cli.host(['get', 'pods', '-l', `vplane.dev/name=dev${more}`, '-o=name', ...at])
}

function describedBy({ at, cli }: WokenPlane): Promise<PlaneDetails> {
  return cli.json(['describe', 'dev', ...at, '--json'])
}
