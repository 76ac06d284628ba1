import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { READY_AGAIN } from '../../../src/control-plane/api/readiness.ts'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { NODE_IMAGE } from '../../lab/images/node-recipe.ts'
import { untilAnswered } from '../../support/cli/until-answered.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'
import { comeAgain, unexpectedOf } from '../../support/host/come-again.ts'
import { secretData } from '../../support/host/credential-secret.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { patientFetch } from '../../support/host/patient-fetch.ts'
import { createSyncedPlane } from '../../support/host/planes/synced-plane.ts'

const PATIENT = { timeout: 180_000, interval: 250 }

// In their order: all of them are about one plane.
describeOnHost('the gateway of a host namespace', { shuffle: false }, () => {
  let cli: HostCli
  let at: string[]
  let embedded: string
  let access: ReturnType<typeof planeUserIn>

  beforeAll(async () => {
    cli = await createHostCli()
    at = ['--namespace', await cli.makeNamespace(RESTRICTED)]
    const wakes = ['--idle', '10s', '--set', 'wake.by=any']
    await cli.ok(['create', 'dev', ...at, ...wakes, '--expose', 'node-port', '--no-connect'])
    const text = await cli.ok(['kubeconfig', 'dev', ...at, '--embed-credentials'])
    access = planeUserIn(text)
    embedded = join(dirname(cli.kubeconfig), 'embedded')
    writeFileSync(embedded, text, { mode: 0o600 })
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('refuses nothing while it is restarted, and while one of two is deleted', async () => {
    const outcomes = new Map<string, number>()
    using client = comeAgain(access.server + READY_AGAIN, { ca: access.ca, outcomes })
    await untilWoken()

    await cli.host(['rollout', 'restart', 'deployment/vplane-gateway', ...at])
    await untilRolled()
    await untilWoken()
    await cli.host(['scale', 'deployment/vplane-gateway', '--replicas=2', ...at])
    await untilRolled()
    const [pod = ''] = (await gateways()).split('\n')
    await cli.host(['delete', pod, ...at, '--wait=false'])
    await untilWoken()
    await client.end()

    expect(unexpectedOf(outcomes)).toEqual([])
    expect(outcomes.get('200')).toBeGreaterThan(500)
  })

  test('keeps its number of pods when vplane changes the plane', async () => {
    await cli.ok(['set', 'dev', ...at, 'idle=12s', '--yes'])

    const path = '-o=jsonpath={.spec.replicas}'
    expect(await cli.host(['get', 'deployment/vplane-gateway', ...at, path])).toBe('2')
  })

  test('learns the addresses of clients where the host keeps them, and wakes only for those meant', async () => {
    const local = { spec: { externalTrafficPolicy: 'Local' } }
    const patch = ['--type=merge', `--patch=${JSON.stringify(local)}`]
    await cli.host(['patch', 'service/vplane-dev-api', ...at, ...patch])
    await cli.ok(['set', 'dev', ...at, 'wake.from=["203.0.113.0/24"]', '--yes'])
    await expect.poll(statusOf, PATIENT).toBe('Paused')
    const before = (await described()).wakes?.count
    const { code } = await kubectl(['get', 'namespaces', '--request-timeout=11s'])
    const stillPaused = await statusOf()

    await cli.ok(['set', 'dev', ...at, 'wake.from=["10.0.0.0/8"]', '--yes'])
    await expect.poll(async () => (await kubectl(['get', 'namespaces'])).code, PATIENT).toBe(0)

    expect([code, stillPaused]).toEqual([1, 'Paused'])
    await expect
      .poll(async () => (await described()).wakes?.count, PATIENT)
      .toBe(Number(before) + 1)
  })

  test('wakes a plane for a pod of another plane that may reach it', async () => {
    const [, namespace] = at
    const services = `sync.hostServices={dev.default: vplane-dev-api.${namespace}}`
    await using other = await createSyncedPlane(['--set', services])
    await expect.poll(statusOf, PATIENT).toBe('Paused')
    const before = (await described()).wakes?.count

    const script = patientFetch(`https://dev.default${READY_AGAIN}`)
    const env = [
      { name: 'NODE_TLS_REJECT_UNAUTHORIZED', value: '0' },
      { name: 'NODE_NO_WARNINGS', value: '1' },
    ]
    const command = ['node', '--input-type=module', '-e', script]
    await other.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'client', namespace: 'default' },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'client', image: NODE_IMAGE, command, env }],
      },
    })
    const phase = () => other.ok('get', 'pod', 'client', '-o=jsonpath={.status.phase}')
    await expect.poll(phase, PATIENT).toBe('Succeeded')

    expect(await other.ok('logs', 'client')).toBe('200\n')
    await expect
      .poll(async () => (await described()).wakes?.count, PATIENT)
      .toBe(Number(before) + 1)
  })

  test('wakes a plane for Argo CD, which has a Secret of it', async () => {
    const secret = ['--secret', 'cluster', '--secret-format', 'argocd']
    const account = ['--service-account', 'default/argo', '--cluster-role', 'edit']
    await cli.ok(['kubeconfig', 'dev', ...at, ...secret, ...account, '--yes'])
    const [, namespace = ''] = at
    const { config = '', server = '' } = await secretData(cli, { name: 'cluster', namespace })
    const { bearerToken, tlsClientConfig } = JSON.parse(config)
    const authority = join(dirname(embedded), 'ca.crt')
    writeFileSync(authority, tlsClientConfig.caData, { encoding: 'base64' })
    await expect.poll(statusOf, PATIENT).toBe('Paused')
    const before = (await described()).wakes?.count

    // This machine reaches the plane by another address than the pods of Argo CD do.
    const { hostname } = new URL(server)
    const place = ['--kubeconfig', '/dev/null', '--server', access.server]
    const tls = ['--certificate-authority', authority, '--tls-server-name', hostname]
    const create = ['create', 'configmap', 'of-argo', '-o=name', '--token', bearerToken]
    expect(await untilAnswered(() => cli.kubectl([...create, ...place, ...tls]))).toBe(
      'configmap/of-argo\n',
    )

    expect(hostname).toBe(`vplane-dev-api.${namespace}.svc`)
    await expect
      .poll(async () => (await described()).wakes?.count, PATIENT)
      .toBe(Number(before) + 1)
  })

  test('wakes a plane whose keeper was deleted while it slept', async () => {
    await expect.poll(statusOf, PATIENT).toBe('Paused')
    await cli.host(['delete', 'pods', ...at, '-l', 'vplane.dev/shared=keeper', '--now'])

    await expect.poll(async () => (await kubectl(['get', 'namespaces'])).code, PATIENT).toBe(0)
  })

  async function untilWoken(): Promise<void> {
    const before = (await described()).wakes?.count ?? 0
    await expect.poll(async () => (await described()).wakes?.count, PATIENT).toBe(before + 1)
    // What never writes keeps it awake after the third time.
    await untilAnswered(() => kubectl(['create', 'configmap', `after-${before}`]))
  }

  async function untilRolled(): Promise<void> {
    await cli.host(['rollout', 'status', 'deployment/vplane-gateway', ...at, '--timeout=120s'])
  }

  function gateways(): Promise<string> {
    return cli.host(['get', 'pods', ...at, '-l', 'vplane.dev/shared=gateway', '-o=name'])
  }

  function kubectl(args: readonly string[]) {
    return cli.kubectl(['--kubeconfig', embedded, ...args])
  }

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'dev', ...at, '--json'])
  }

  async function statusOf(): Promise<string> {
    return (await described()).status
  }
})
