import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { messageOf } from '../../../src/shared/errors.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { connectionIn, secretData } from '../../support/host/credential-secret.ts'
import { until } from '../../support/until.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

const RENEWALS = 10

const REFUSAL = /unauthorized|not trusted|forbidden/i

/** How often a client reads its Secret and uses what is in it, in milliseconds. */
const INTERVAL_MS = 250

// One after the other: all of them are about one plane.
describeOnHost('clients that read their Secret again', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let at: string[]
  let server: string

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = await cli.makeNamespace()
    at = ['--namespace', namespace]
    const said = (entry: string, ...fields: string[]) =>
      [...fields, 'clusterRole=view'].flatMap((field) => ['--set', `credentials.${entry}.${field}`])
    const entries = [said('user', 'user=flux'), said('account', 'serviceAccount=default/flux')]
    await cli.ok(['create', 'dev', ...at].concat(...entries))
    ;({ server } = connectionIn(await cli.ok(['kubeconfig', 'dev', ...at, '--embed-credentials'])))
    for (const name of ['user', 'account']) {
      await until(
        `the Secret "${name}" is there`,
        async () => (await kubeconfigIn(name)) !== undefined,
      )
    }
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('have no failed request during ten renewals', async () => {
    await using clients = startClients()
    const used = (count: number) =>
      until(`${count} credentials were used`, async () => clients.credentials.size >= count)
    await used(2)
    for (let renewal = 1; renewal <= RENEWALS; renewal += 1) {
      await renewed(() => age('user', 'account'))
      await used(2 * (renewal + 1))
    }
    await clients.stop()

    expect(clients.failures).toEqual([])
    expect(clients.requests).toBeGreaterThan(RENEWALS * 2)
  })

  test.for([
    ['rotate-ca', ['user', 'account']],
    ['rotate-service-account-key', ['account']],
  ] as const)('are never refused while keys are rotated: %s', async ([command, names]) => {
    await using clients = startClients()
    const stages = ['certs', command, 'dev', ...at, '--stage', 'complete', '--yes']
    await renewed(() => cli.ok(stages), names)
    await delay(20 * INTERVAL_MS)
    await clients.stop()

    // One kube-apiserver does not answer while it is replaced, which is no refusal.
    expect(clients.failures.filter((failure) => REFUSAL.test(failure))).toEqual([])
  })

  async function kubeconfigIn(name: string): Promise<string | undefined> {
    return (await secretData(cli, { name, namespace }))['value']
  }

  /** As if half of their lifetimes had passed. */
  async function age(...names: string[]): Promise<void> {
    await cli.host(['annotate', 'secret', ...names, ...at, '--overwrite', 'vplane.dev/renew-at=-'])
  }

  /** Returns when what is done has led to other credentials. */
  async function renewed(
    action: () => Promise<unknown>,
    names: readonly string[] = ['user', 'account'],
  ): Promise<void> {
    const read = () => Promise.all(names.map((name) => kubeconfigIn(name)))
    const before = await read()
    await action()
    await waitFor(async () => (await read()).every((one, index) => one !== before[index]), {
      what: 'other credentials',
      timeoutMs: 240_000,
      intervalMs: 500,
    })
  }

  /** Each reads its Secret, makes a request with what is in it over a connection of its own, and does so again. */
  function startClients() {
    const stop = new AbortController()
    const failures: string[] = []
    const credentials = new Set<string>()
    let requests = 0
    const run = async (name: string) => {
      while (!stop.signal.aborted) {
        const kubeconfig = (await kubeconfigIn(name)) ?? expect.fail(`"${name}" is missing`)
        credentials.add(kubeconfig)
        await using api = createKubeClient({ ...connectionIn(kubeconfig), server })
        requests += 1
        await api
          .list('/api/v1/namespaces/default/configmaps')
          .catch((error: unknown) => failures.push(`${name}: ${messageOf(error)}`))
        await delay(INTERVAL_MS)
      }
    }
    const running = Promise.all(['user', 'account'].map(run))
    const end = async () => {
      stop.abort()
      await running
    }
    return {
      failures,
      credentials,
      get requests() {
        return requests
      },
      stop: end,
      [Symbol.asyncDispose]: end,
    }
  }
})
