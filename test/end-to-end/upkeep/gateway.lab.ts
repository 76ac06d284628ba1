import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { NODE_IMAGE } from '../../lab/images/node-recipe.ts'
import { outcomeOf } from '../../support/api/outcome-of.ts'
import { untilAnswered } from '../../support/cli/until-answered.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { patientFetch } from '../../support/host/patient-fetch.ts'
import {
  anonymousClient,
  expectInterruptedPause,
  expectWakes,
  readingClient,
  untilPaused,
} from '../../support/host/wake-rounds.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'

const ROUNDS = Number(process.env['VPLANE_GATEWAY_ROUNDS'] ?? 2)
const PATIENT = { timeout: 120_000, interval: 250 }
const WAKES = ['--idle', '5s', '--set', 'wake.by=any']
const GATEWAY = ['--selector', 'vplane.dev/shared=gateway']

// In their order: all of them are about one plane.
describeOnHost('a plane in a host namespace that any client wakes', { shuffle: false }, () => {
  let cli: HostCli
  let at: string[]
  let embedded: string

  beforeAll(async () => {
    cli = await createHostCli()
    at = ['--namespace', await cli.makeNamespace(RESTRICTED)]
    await cli.ok(['create', 'dev', ...at, ...WAKES, '--expose', 'node-port', '--no-connect'])
    embedded = join(dirname(cli.kubeconfig), 'embedded')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('has a kubeconfig with its port of the nodes, also when it is printed while nothing runs', async () => {
    await untilPaused({ cli, at })

    const text = await cli.ok(['kubeconfig', 'dev', ...at, '--embed-credentials'])
    writeFileSync(embedded, text, { mode: 0o600 })

    const service = ['get', 'service', 'vplane-dev-api', ...at]
    const port = await cli.host([...service, '-o=jsonpath={.spec.ports[0].nodePort}'])
    expect(new URL(planeUserIn(text).server)).toMatchObject({ port })
  })

  test('is woken by kubectl, and describes by whom', async () => {
    await untilPaused({ cli, at })
    const wakes = async () => (await described()).wakes?.count ?? 0
    const before = await wakes()

    const asked = ['--tls-server-name', 'vplane-dev-api']
    const found = await answered(['get', 'namespace', 'default', '-o=name', ...asked])

    expect(found).toBe('namespace/default\n')
    await expect.poll(wakes, PATIENT).toBe(before + 1)
    expect(await cli.ok(['describe', 'dev', ...at])).toMatch(/Last woken: .* ago by \S+, in \d/)
    expect(await cli.ok(['events', 'dev', ...at])).toMatch(/Woken.* as vplane-dev-api, in \d/)
    // The gateway removes what nobody waits for any more.
    const requests = ['get', 'configmap', 'vplane-gateway-wakes', ...at, '-o=jsonpath={.data}']
    await expect.poll(() => cli.host(requests), PATIENT).toBe('')
  })

  test('is woken by a pod with a token of a ServiceAccount', async () => {
    const token = await answered(['create', 'token', 'default'])
    await untilPaused({ cli, at })

    const script = patientFetch('https://vplane-dev-api/version', {
      authorization: `Bearer ${token.trim()}`,
    })
    const overrides = {
      spec: {
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'client',
            image: NODE_IMAGE,
            command: ['node', '--input-type=module', '-e', script],
            env: [
              { name: 'NODE_TLS_REJECT_UNAUTHORIZED', value: '0' },
              { name: 'NODE_NO_WARNINGS', value: '1' },
            ],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    }
    const run = ['run', 'client', ...at, `--image=${NODE_IMAGE}`, '--restart=Never']
    await cli.host([...run, `--overrides=${JSON.stringify(overrides)}`])
    const phase = () => cli.host(['get', 'pod', 'client', ...at, '-o=jsonpath={.status.phase}'])
    await expect.poll(phase, PATIENT).toBe('Succeeded')

    expect(await cli.host(['logs', 'client', ...at])).toBe('200')
    await cli.host(['delete', 'pod', 'client', ...at, '--now'])
  })

  test(
    `is woken ${ROUNDS} times by a client that comes every 20 ms, and refuses nothing to it`,
    { timeout: ROUNDS * 300_000 },
    async () => {
      const client = await readingClient(access(), answered)
      await expectWakes({ cli, at }, client, ROUNDS)
    },
  )

  test('refuses nothing to a client that comes every 20 ms, and so interrupts a pause', () =>
    expectInterruptedPause({ cli, at }, anonymousClient(access(), answered)))

  test('stays paused when a user has paused it, and then nobody holds its clients', async () => {
    await cli.ok(['pause', 'dev', ...at, '--no-snapshot'])

    const startedAt = performance.now()
    const { code } = await kubectl(['get', 'namespaces', '--request-timeout=20s'])
    const ms = performance.now() - startedAt
    const { status } = await described()
    await cli.ok(['resume', 'dev', ...at])

    expect([code, status]).toEqual([1, 'Paused'])
    expect(ms).toBeLessThan(8000)
    // The host leads to it a little later than vplane reaches it.
    const found = async () => (await kubectl(['get', 'configmap', 'round-0', '-o=name'])).stdout
    await expect.poll(found, PATIENT).toBe('configmap/round-0\n')
  })

  test('is started by its first client when it was created paused', async () => {
    const create = ['create', 'spare', ...at, ...WAKES, '--expose', 'node-port', '--paused']
    await cli.ok(create)
    const of = (path: string) =>
      cli.host(['get', 'service', 'vplane-spare-api', ...at, `-o=jsonpath={.spec${path}}`])
    await expect.poll(() => of('.selector'), PATIENT).toContain('gateway')
    const before = await cli.host(['get', 'pods', ...at, '-l', 'vplane.dev/name=spare', '-o=name'])

    const url = new URL('/readyz', access().server)
    url.port = await of('.ports[0].nodePort')
    const outcomes: string[] = []
    const come = async () => {
      outcomes.push(await outcomeOf(url))
      return outcomes.at(-1)
    }
    // Where the first start takes longer than a connection is held, a client has to come again.
    await expect.poll(come, PATIENT).toBe('200')

    expect(before).toBe('')
    expect(outcomes.filter((one) => /^\d+$/.test(one))).toEqual(['200'])
    await expect.poll(() => cli.ok(['events', 'spare', ...at]), PATIENT).toContain('Woken')
    await cli.ok(['delete', 'spare', ...at, '--yes'])
  })

  test('has its gateway until no plane of the namespace needs one', async () => {
    const before = await cli.host(['get', 'deployment', ...at, ...GATEWAY, '-o=name'])
    await cli.ok(['set', 'dev', ...at, 'wake.by=plugin', '--yes'])
    const after = await cli.host(['get', 'deployment,configmap,role', ...at, ...GATEWAY, '-o=name'])
    await cli.ok(['delete', 'dev', ...at, '--yes'])

    expect([before.trim(), after]).toEqual(['deployment.apps/vplane-gateway', ''])
    const left = () => cli.host(['get', 'pod,role,configmap,service', ...at, '-o=name'])
    await expect.poll(left, PATIENT).toBe('configmap/kube-root-ca.crt')
  })

  function kubectl(args: readonly string[]) {
    return cli.kubectl(['--kubeconfig', embedded, ...args])
  }

  function answered(args: readonly string[]): Promise<string> {
    return untilAnswered(() => kubectl(args))
  }

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'dev', ...at, '--json'])
  }

  function access() {
    return planeUserIn(readFileSync(embedded, 'utf8'))
  }
})
