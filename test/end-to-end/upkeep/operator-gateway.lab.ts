import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'
import { untilAnswered } from '../../support/cli/until-answered.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import {
  anonymousClient,
  expectInterruptedPause,
  expectWakes,
  readingClient,
  untilPaused,
} from '../../support/host/wake-rounds.ts'

const ROUNDS = Number(process.env['VPLANE_GATEWAY_ROUNDS'] ?? 2)
const PATIENT = { timeout: 120_000, interval: 250 }
const GATEWAY = ['--selector', 'app.kubernetes.io/name=vplane-operator-gateway', '-o=name']
const SLICES = ['--selector', 'endpointslice.kubernetes.io/managed-by=vplane-operator', '-o=name']

// In their order: all of them are about one plane.
describeOnHost('a declared plane that any client wakes', { shuffle: false }, () => {
  let cli: HostCli
  let operator: string
  let at: string[]
  let inOperator: string[]
  let embedded: string

  beforeAll(async () => {
    cli = await createHostCli()
    operator = await cli.makeNamespace(RESTRICTED)
    inOperator = ['--namespace', operator]
    at = ['--namespace', await cli.makeNamespace(RESTRICTED)]
    await cli.ok(['operator', 'install', ...inOperator])
    // The endpoint leads back more than five seconds after a start: with less, the next pause begins before that.
    const wakes = ['--idle', '10s', '--set', 'wake.by=any', '--expose', 'node-port']
    await cli.ok(['create', 'dev', ...at, '--declare', ...wakes, '--no-connect'])
    embedded = join(dirname(cli.kubeconfig), 'embedded')
    const text = await cli.ok(['kubeconfig', 'dev', ...at, '--embed-credentials'])
    writeFileSync(embedded, text, { mode: 0o600 })
  })
  afterAll(async () => {
    await cli.run(['operator', 'uninstall', ...inOperator, '--yes'])
    await cli.run(['delete', 'dev', ...at, '--yes', '--ignore-not-found'])
    await cli[Symbol.asyncDispose]()
  })

  test('is woken by kubectl, and its ControlPlane says nothing of it', async () => {
    await untilPaused({ cli, at })
    const { metadata } = await cli.hostJson(['get', 'vcp', 'dev', ...at])

    const found = await answered(['get', 'namespace', 'default', '-o=name'])

    expect(found).toBe('namespace/default\n')
    await expect.poll(async () => (await described()).wakes?.count, PATIENT).toBe(1)
    expect(await cli.ok(['describe', 'dev', ...at])).toMatch(/Last woken: .* ago by \S+, in \d/)
    expect(await cli.ok(['events', 'dev', ...at])).toContain('Woken')
    const after = await cli.hostJson(['get', 'vcp', 'dev', ...at])
    expect(after.metadata.generation).toBe(metadata.generation)
  })

  test(
    `is woken ${ROUNDS} times by a client of two gateways that comes every 20 ms, and refuses nothing to it`,
    { timeout: ROUNDS * 300_000 },
    async () => {
      const gateway = ['deployment/vplane-operator-gateway', ...inOperator]
      await cli.host(['scale', ...gateway, '--replicas=2'])
      await cli.host(['rollout', 'status', ...gateway, '--timeout=120s'])

      const client = await readingClient(access(), answered)
      await expectWakes({ cli, at }, client, ROUNDS)
    },
  )

  test('refuses nothing to a client that comes every 20 ms, and so interrupts a pause', () =>
    expectInterruptedPause({ cli, at }, anonymousClient(access(), answered)))

  test('is woken after its spec has changed, and after the gateway and the operator have restarted', async () => {
    await untilPaused({ cli, at })
    await cli.ok(['set', 'dev', ...at, 'apiServer.goGc=60', '--yes'])
    const { status } = await described()
    const now = ['--now', '--wait=false']
    await cli.host(['delete', 'pods', '--all', ...inOperator, ...now])

    const get = ['get', 'configmap', 'round-0', '-o=name', '--request-timeout=20s']
    const found = async () => (await kubectl(get)).stdout

    expect(status).toBe('Paused')
    await expect.poll(found, { ...PATIENT, timeout: 300_000 }).toBe('configmap/round-0\n')
  })

  test('stays paused when its ControlPlane says so, and then nobody holds its clients', async () => {
    await untilPaused({ cli, at })
    await cli.ok(['pause', 'dev', ...at, '--no-snapshot'])
    await expect.poll(() => cli.host(['get', 'endpointslices', ...at, ...SLICES]), PATIENT).toBe('')

    const startedAt = performance.now()
    const { code } = await kubectl(['get', 'namespaces', '--request-timeout=20s'])
    const ms = performance.now() - startedAt
    const { status } = await described()
    await cli.ok(['resume', 'dev', ...at])

    expect([code, status]).toEqual([1, 'Paused'])
    expect(ms).toBeLessThan(8000)
    const found = async () => (await kubectl(['get', 'configmap', 'round-0', '-o=name'])).stdout
    await expect.poll(found, PATIENT).toBe('configmap/round-0\n')
  })

  test('has metrics of its wakes while it is paused', async () => {
    await untilPaused({ cli, at })

    const metrics = await cli.ok(['metrics', 'dev', ...at])

    expect(metrics).toMatch(/^vplane_wakes_total\{plane="dev"\} [1-9]/m)
    expect(metrics).toMatch(/^vplane_last_wake_duration_seconds\{.*by="\d/m)
  })

  test('is deleted while it sleeps, and the gateway with the last such plane', async () => {
    await untilPaused({ cli, at })
    const before = await cli.host(['get', 'endpointslices', ...at, ...SLICES])
    const gateway = await cli.host(['get', 'deployments', ...inOperator, ...GATEWAY])

    await cli.host(['delete', 'vcp', 'dev', ...at, '--timeout=180s'])

    expect(before).toMatch(/vplane-dev-api-gateway/)
    expect(gateway).toBe('deployment.apps/vplane-operator-gateway')
    const left = ['get', 'pod,role,configmap,service,endpointslice', ...at, '-o=name']
    await expect.poll(() => cli.host(left), PATIENT).toBe('configmap/kube-root-ca.crt')
    const parts = ['get', 'deployment,role,configmap', ...inOperator, ...GATEWAY]
    await expect.poll(() => cli.host(parts), PATIENT).toBe('')
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
