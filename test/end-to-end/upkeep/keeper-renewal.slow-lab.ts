import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventsResult } from '../../../src/commands/events.ts'
import { replaceFiles } from '../../../src/drivers/kubernetes/certificates/renew-plane-leaves.ts'
import { keysIn, readSecrets } from '../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { openHostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import { leavesToRenew, renewLeaves } from '../../../src/pki/plane/certificate-expiry.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

const DAY_MS = 24 * 3_600_000
const { signal } = new AbortController()
const KEEPER = ['--selector', 'vplane.dev/shared=keeper']

// In their order: all of them are about one plane.
describeOnHost('the keeper of a plane that renews its certificates', { shuffle: false }, () => {
  let cli: HostCli
  let at: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    const namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
    await cli.ok(['create', 'dev', ...at, '--renew'])
    await cli.host(['rollout', 'status', 'deployment/vplane-keeper', ...at])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('may read and change the keys of its plane, and nothing of others', async () => {
    const account = `system:serviceaccount:${at[1]}:vplane-keeper`
    const secrets = ['get secret/vplane-dev-ca', 'patch secret/vplane-dev-kube-apiserver']
    const rights = [...secrets, 'update secret/vplane-dev-record']
    const ofSecrets = ['patch secret/vplane-dev-record', 'get secret/vplane-prod-ca']
    const others = ['list secrets', 'delete secret/vplane-dev-ca', 'patch deployments', 'list pods']

    const asked = [...rights, ...ofSecrets, ...others]
    expect(await cli.granted(asked, ['--as', account, ...at])).toEqual(rights)
  })

  test('has no key by which it could ask the API how much the plane is used', async () => {
    const keys = await cli.host(['get', 'secret/vplane-dev-keeper', ...at, '-o=jsonpath={.data}'])

    expect(keys).toContain('front-proxy-client.crt')
    expect(keys).not.toContain('front-proxy-client.key')
  })

  test('renews those that expire soon, while the plane works, and reports it', async () => {
    await ageLeaves(30 * DAY_MS)
    const before = await restarts()
    await cli.host(['delete', 'pod', ...at, ...KEEPER])

    await untilIssued(1)

    expect(await dueLeaves()).toEqual([])
    await expect.poll(unappliedJournal).toBe(false)
    await cli.ok(['certs', 'check', 'dev', ...at, '--within', '90d'])
    await cli.ok(['connect', 'dev', ...at, '--', 'kubectl', 'create', 'configmap', 'later'])
    expect(await restarts()).toBe(before)
    await expect
      .poll(() => cli.host(['get', 'lease', ...at, '-o=name']))
      .not.toContain('vplane-dev-lock')
  })

  test('continues when it is killed meanwhile', async () => {
    await ageLeaves(60 * DAY_MS)
    const kill = () => cli.host(['delete', 'pod', ...at, ...KEEPER, '--grace-period=1'])
    await kill()
    await cli.host(['rollout', 'status', 'deployment/vplane-keeper', ...at])
    await kill()

    await waitFor(async () => (await dueLeaves()).length === 0, {
      what: 'the renewal of what is due',
      timeoutMs: 280_000,
      intervalMs: 2000,
    })

    await cli.ok(['connect', 'dev', ...at, '--', 'kubectl', 'get', 'configmap', 'later'])
  })

  test('may do so no more when it is not to', async () => {
    await cli.ok(['set', 'dev', ...at, 'renew-', '--yes'])

    const ofPlane = ['--selector', 'vplane.dev/component=keeper']
    for (const selector of [ofPlane, KEEPER]) {
      const kinds = 'deployment,secret,role,rolebinding'
      expect(await cli.host(['get', kinds, ...at, ...selector, '-o=name'])).toBe('')
    }
  })

  /** As if the plane were as old. The record, by which commands see what is due, does not say it. */
  async function ageLeaves(lifetimeMs: number): Promise<void> {
    await using host = await openHostCluster({ files: [cli.lab.kubeconfigPath], environment: {} })
    const secrets = await readSecrets(host.api, place(), signal)
    const files = keysIn(secrets)
    const due = { now: new Date(), withinMs: Infinity }
    const aged = { ...files, ...renewLeaves(files, { ...due, lifetimeMs }) }
    await replaceFiles(host.api, secrets, { place: place(), files: aged, signal })
  }

  async function dueLeaves(): Promise<string[]> {
    await using host = await openHostCluster({ files: [cli.lab.kubeconfigPath], environment: {} })
    const secrets = await readSecrets(host.api, place(), signal)
    return secrets.flatMap((secret) => leavesToRenew(keysIn([secret]), { now: new Date() }))
  }

  async function unappliedJournal(): Promise<boolean> {
    const path = ['secret/vplane-dev-record', ...at, '-o=jsonpath={.data.record}']
    const record = Buffer.from(await cli.host(['get', ...path]), 'base64').toString()
    return record.includes('"journal"')
  }

  async function untilIssued(times: number): Promise<void> {
    const issued = async () => {
      const text = await cli.ok(['events', 'dev', ...at, '--json'])
      const { items }: EventsResult = JSON.parse(text)
      return items.filter(({ reason }) => reason === 'CertificatesIssued').length
    }
    await expect.poll(issued, { timeout: 240_000, interval: 1000 }).toBe(times)
  }

  /** Which pods there are but that of the keeper, and how often their containers were started. */
  function restarts(): Promise<string> {
    const path = '{.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}'
    const others = ['--selector', 'vplane.dev/name=dev']
    return cli.host(['get', 'pods', ...at, ...others, '--output', `jsonpath=${path}`])
  }

  function place() {
    return { name: 'dev', namespace: at[1] ?? '' }
  }
})
