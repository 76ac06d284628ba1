import { afterEach, beforeAll, expect, test } from 'vitest'
import { POD_RANGE } from '../cluster/state/address-plan.ts'
import { describeInLab } from '../describe-lab.ts'
import { startLab } from '../lab.ts'
import { makeNamespace } from '../make-namespace.ts'
import { answeringPod, policyFor } from './policy-objects.ts'

type Namespace = Awaited<ReturnType<typeof makeNamespace>>

const PORTS = [80, 81, 90]
const TCP = { protocol: 'TCP' }

describeInLab('network policies', () => {
  let near: Namespace
  let far: Namespace
  /** Addresses of pods of the near namespace. */
  let addresses: Record<string, string>

  beforeAll(async () => {
    await using stack = new AsyncDisposableStack()
    const lab = stack.use(await startLab())
    near = stack.use(await makeNamespace(lab))
    far = stack.use(await makeNamespace(lab))
    await far.kubectl('label', 'namespace', far.name, 'is=far')
    await Promise.all([
      near.apply(answeringPod('server', PORTS)),
      near.apply(answeringPod('friend', PORTS)),
      near.apply(answeringPod('stranger', PORTS)),
      far.apply(answeringPod('friend', PORTS)),
    ])
    for (const namespace of [near, far]) {
      await namespace.kubectl('wait', 'pod', '--all', '--for=condition=Ready', '--timeout=60s')
    }
    const path = '{range .items[*]}{.metadata.name}={.status.podIP}{"\\n"}{end}'
    const lines = await near.kubectl('get', 'pods', '--output', `jsonpath=${path}`)
    addresses = Object.fromEntries(
      lines
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    )
    const owned = stack.move()
    return () => owned.disposeAsync()
  })

  afterEach(async () => {
    await near.kubectl('delete', 'networkpolicy', '--all')
  })

  const friend = ['friend:80', 'friend:81', 'friend:90']
  const stranger = ['stranger:80', 'stranger:81', 'stranger:90']
  const farFriend = ['far-friend:80', 'far-friend:81', 'far-friend:90']
  const isFriend = { podSelector: { matchLabels: { app: 'friend' } } }
  const isFar = { namespaceSelector: { matchLabels: { is: 'far' } } }

  test.for<[string, () => object, string[]]>([
    [
      'all when nothing else is said',
      () => ({ ingress: [{}] }),
      [...friend, ...stranger, ...farFriend],
    ],
    ['nothing by default', () => ({ policyTypes: ['Ingress'] }), []],
    ['pods by their labels', () => ({ ingress: [{ from: [isFriend] }] }), friend],
    [
      'pods by their labels and those of their namespaces',
      () => ({ ingress: [{ from: [{ ...isFriend, ...isFar }] }] }),
      farFriend,
    ],
    [
      'addresses except some',
      () => ({
        ingress: [
          { from: [{ ipBlock: { cidr: POD_RANGE, except: [`${addresses['friend']}/32`] } }] },
        ],
      }),
      [...stranger, ...farFriend],
    ],
    [
      'a port by its name',
      () => ({ ingress: [{ ports: [{ ...TCP, port: 'port-81' }] }] }),
      ['friend:81', 'stranger:81', 'far-friend:81'],
    ],
    [
      'a range of ports, to some',
      () => ({ ingress: [{ from: [isFar], ports: [{ ...TCP, port: 80, endPort: 89 }] }] }),
      ['far-friend:80', 'far-friend:81'],
    ],
  ])('let into a pod %s', async ([, rules, allowed]) => {
    await near.apply(policyFor('server', rules()))

    await expect.poll(reached).toEqual(allowed.toSorted())
  })

  test.for<[string, object, string[]]>([
    ['nothing', { policyTypes: ['Egress'] }, []],
    [
      'what a rule allows',
      { policyTypes: ['Egress'], egress: [{ ports: [{ ...TCP, port: 80 }] }] },
      ['stranger:80'],
    ],
  ])('let out of a pod %s', async ([, rules, allowed]) => {
    await near.apply(policyFor('stranger', rules))

    await expect.poll(reached).toEqual([...friend, ...farFriend, ...allowed].toSorted())
  })

  test("keep a pod from the host's API server, unless they allow its address", async () => {
    const host = () => connects(near, 'stranger', '10.96.0.1:443')
    const egress = [{ to: [{ ipBlock: { cidr: '10.99.0.0/16' } }] }]
    await expect.poll(host).toBe(true)

    await near.apply(policyFor('stranger', { policyTypes: ['Egress'] }))
    await expect.poll(host).toBe(false)
    await near.apply(policyFor('stranger', { policyTypes: ['Egress'], egress }))
    await expect.poll(host).toBe(true)
  })

  /** Who connects to which port of the server. */
  async function reached(): Promise<string[]> {
    const clients = [
      ['friend', near, 'friend'],
      ['stranger', near, 'stranger'],
      ['far-friend', far, 'friend'],
    ] as const
    const tries = clients.flatMap(([title, namespace, name]) =>
      PORTS.map(async (port) => {
        const isConnected = await connects(namespace, name, `${addresses['server']}:${port}`)
        return isConnected ? [`${title}:${port}`] : []
      }),
    )
    return (await Promise.all(tries)).flat().toSorted()
  }
})

async function connects(namespace: Namespace, name: string, address: string): Promise<boolean> {
  const command = ['/agnhost', 'connect', '--timeout=2s', address]
  return await namespace.kubectl('exec', name, '--', ...command).then(
    () => true,
    (error: unknown) => {
      // What a policy refuses is refused at once.
      expect(String(error)).toContain('REFUSED')
      return false
    },
  )
}
