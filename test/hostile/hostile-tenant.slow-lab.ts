import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openHostCluster } from '../../src/kube/host/open-host-cluster.ts'
import { abortOnDispose } from '../../src/shared/abort-on-dispose.ts'
import { describeInOwnLab } from '../lab/describe-lab.ts'
import { startLab } from '../lab/lab.ts'
import { makeNamespace } from '../lab/make-namespace.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import {
  addSecret,
  closedTargets,
  apiServerTargets,
  everythingIn,
  fieldsIn,
  keysOf,
  logsOf,
  OWN_SERVICE,
  planeWithServer,
  probeTargets,
  reachedIn,
  reserveVolume,
  restartsOf,
  volumesOf,
} from './hostile-world.ts'
import { foreignIn } from './foreign-in.ts'
import { DONE } from './probe-pod.ts'
import { reachedBy, WAYS } from './reach-targets.ts'
import { Tenant } from './tenant.ts'
import { watchHost } from './watch-host.ts'

/** `npm run soak:tenant` asks for thirty. */
const MINUTES = Number(process.env['VPLANE_TENANT_MINUTES'] ?? 2)
const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? 20_261_127)

/** Between two requests of the tenant, in milliseconds. */
const PAUSE_MS = 100
const ACTS_AT_A_TIME = 50

const OWN = 'secret-of-the-tenant-9d3e'
const OTHERS = { bystander: 'secret-of-the-bystander-7c1f', victim: 'secret-of-the-victim-52ab' }

// A cluster of its own: a node has the address of a metadata service, and everything on it is watched.
describeInOwnLab(`a hostile tenant (seed ${SEED})`, () => {
  test('reaches nothing of its host', { timeout: (MINUTES + 15) * 60_000 }, async () => {
    await using lab = await startLab({ isOwn: true, nodes: 2 })
    await using bystander = await makeNamespace(lab)
    await bystander.kubectl(
      'create',
      'secret',
      'generic',
      'other',
      `--from-literal=a=${OTHERS.bystander}`,
    )
    await using victim = await planeWithServer(lab)
    await addSecret(victim, OTHERS.victim)
    await reserveVolume(lab, bystander.name)
    await using evil = await planeWithServer(lab)
    const { environment, kubeconfig } = evil.cli
    await using host = await openHostCluster({ files: [lab.kubeconfigPath], environment })
    await using plane = await openHostCluster({ files: [kubeconfig], environment })
    const targets = await probeTargets(lab, { evil, victim })
    expect(await closedTargets(lab, bystander.name, targets)).toEqual([])
    const [, evilNamespace = ''] = evil.place
    const [, victimNamespace = ''] = victim.place
    const keys = await keysOf(evil)
    expect(Object.keys(keys).length).toBeGreaterThan(5)
    const foreign = { ...OTHERS, ...keys }
    const place = { plane: 'dev', namespace: evilNamespace, foreign, own: OWN }
    await using watch = await watchHost(host.api, place)
    using stop = abortOnDispose()
    const tenant = new Tenant({
      plane: plane.api,
      random: randomNumbers(SEED),
      fields: await fieldsIn(plane.api),
      prey: {
        namespaces: [bystander.name, victimNamespace, evilNamespace, 'kube-system', 'default'],
        names: [
          'vplane-dev-ca',
          'vplane-dev-syncer',
          'kube-root-ca.crt',
          'other',
          'own-x-default-x-dev',
          ...(await volumesOf(lab)),
        ],
        addresses: targets.map((one) => one.host),
        nodes: lab.nodes,
      },
      targets,
      mark: OWN,
    })

    const ways = Object.keys(WAYS)
    for (const target of targets.filter(({ name }) => name === OWN_SERVICE)) {
      const attempt = { name: 'control', plane: plane.api, target }
      for (const way of ways) {
        expect(await reachedBy(way, attempt), way).toBeDefined()
      }
    }
    const restarts = await restartsOf(evil)
    const reached = new Set<string>()
    const answers: Record<string, string> = {}
    const forbidden = await apiServerTargets(evil, targets)
    let rounds = 0
    let probes = 0
    const deadline = performance.now() + MINUTES * 60_000
    // All ways are tried, however busy the machine is.
    while (performance.now() < deadline || rounds < ways.length) {
      for (let count = 0; count < ACTS_AT_A_TIME; count += 1) {
        await tenant.act(stop.signal)
        await delay(PAUSE_MS)
      }
      const way = ways[rounds % ways.length] ?? ''
      rounds += 1
      const attempts = forbidden.map(async (target, index) => {
        const name = `reach-${rounds}-${index}`
        const answer = await reachedBy(way, { name, plane: plane.api, target })
        return answer === undefined ? [] : [[`${target.name} by ${way}`, answer] as const]
      })
      Object.assign(answers, Object.fromEntries((await Promise.all(attempts)).flat()))
      for (const log of await logsOf(evil)) {
        probes += Number(log.includes(DONE))
        reachedIn(log).forEach((name) => reached.add(name))
        expect(foreignIn(log, foreign)).toEqual([])
      }
    }
    const seen = await everythingIn(plane.api)

    process.stderr.write(
      `a hostile tenant, seed ${SEED}, ${MINUTES} minutes: ${JSON.stringify(tenant.counts)}, ${probes} probes ended, ${rounds} rounds of requests to kube-apiserver, ${watch.changes()} changes of ${watch.kinds} kinds on the host\n`,
    )
    expect.soft(watch.strays()).toEqual([])
    expect.soft(foreignIn(seen, foreign)).toEqual([])
    expect.soft([...reached]).toEqual([OWN_SERVICE])
    expect.soft(answers).toEqual({})
    expect.soft(Object.keys(restarts)).toHaveLength(1)
    expect.soft(await restartsOf(evil)).toEqual(restarts)
    expect.soft(tenant.counts.made).toBeGreaterThan(40 * MINUTES)
    expect.soft(tenant.counts.changed).toBeGreaterThan(20 * MINUTES)
    expect.soft(tenant.counts.entered).toBeGreaterThan(0)
    expect.soft(probes).toBeGreaterThan(MINUTES)
    expect.soft(watch.changes()).toBeGreaterThan(40 * MINUTES)
  })
})
