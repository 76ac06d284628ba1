import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const IDLE = '30s'
const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? randomInt(2 ** 31))

// In their order: all of them are about one plane.
describeOnHost('a plane in a host cluster that pauses itself', { shuffle: false }, () => {
  let cli: HostCli
  let at: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    const namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
    await cli.ok(['create', 'dev', ...at])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('begins to when it is told so, and then nothing of it runs, its keeper neither', async () => {
    const { code, stderr } = await cli.run(['set', 'dev', ...at, `idle=${IDLE}`, '--yes'])
    expect(code, stderr).toBe(0)

    const { reason } = await untilPaused()
    await untilNothingRuns()

    expect(stderr).toContain('create keeper')
    expect(reason).toMatch(/^nobody has used it since \d{4}-\d\d-\d\dT/)
    expect(await cli.ok(['events', 'dev', ...at])).toContain('PausedWhenIdle')
  })

  test('is started by a command in it, and pauses itself again', async () => {
    const words = ['--', 'kubectl', 'get', 'namespace', 'default', '-o=name']
    const found = await cli.ok(['connect', 'dev', ...at, ...words])
    await untilPaused()

    expect(found).toBe('namespace/default\n')
  })

  test('is started by its context, and keeps running while someone uses it', async () => {
    await cli.ok(['connect', 'dev', ...at])
    await untilPaused()
    const results = [await cli.kubectl(['get', 'namespace', 'default', '-o=name'])]
    const until = Date.now() + 2 * Number.parseInt(IDLE) * 1000
    while (Date.now() < until) {
      results.push(await cli.kubectl(['get', 'namespace', 'default', '-o=name']))
    }

    const { lastUsedAt } = await described()
    expect(results.filter(({ code }) => code !== 0)).toEqual([])
    expect(results[0]?.stderr).toContain('vplane: Starting Kubernetes')
    await expect.poll(described, { timeout: 60_000 }).toMatchObject({ status: 'Ready' })
    expect(lastUsedAt).not.toBeNull()
  })

  test(`pauses itself, whenever its keeper is killed (seed ${SEED})`, async () => {
    const random = randomNumbers(SEED)
    await cli.ok(['resume', 'dev', ...at])

    // Its last look at the plane and the stop of all components are within these.
    for (let kills = 0; kills < 3; kills += 1) {
      await delay(Number.parseInt(IDLE) * 500 + random() * 3000)
      const flags = ['--selector', 'vplane.dev/shared=keeper', '--ignore-not-found']
      await cli.host(['delete', 'pods', ...at, ...flags, '--grace-period=0', '--force'])
    }

    await untilPaused()
    await untilNothingRuns()
    const words = ['--', 'kubectl', 'get', 'namespace', 'default', '-o=name']
    expect(await cli.ok(['connect', 'dev', ...at, ...words])).toBe('namespace/default\n')
  })

  test('keeps its keeper for its backups when it is not to pause itself any more', async () => {
    const backup = ['backup.schedule=0 0 1 1 *', 'backup.store=s3://backups/dev']
    await cli.ok(['set', 'dev', ...at, ...backup, 'idle-', '--yes'])

    expect(await ofKeeper('deployment,role')).toEqual([
      'role.rbac.authorization.k8s.io/vplane-dev-keeper',
      'deployment.apps/vplane-keeper',
      'role.rbac.authorization.k8s.io/vplane-keeper',
    ])
  })

  test('runs on without a keeper when nothing needs that', async () => {
    await cli.ok(['set', 'dev', ...at, `idle=${IDLE}`, '--yes'])
    await untilPaused()
    await cli.ok(['set', 'dev', ...at, 'idle-', 'backup-', '--yes'])
    await cli.ok(['resume', 'dev', ...at])

    const kinds = 'deployment,configmap,secret,serviceaccount,role,rolebinding'
    expect(await ofKeeper(kinds)).toEqual([])
    // A plane can be used before all of its components are ready.
    const ready = { status: 'Ready', lastUsedAt: null }
    await expect.poll(described, { timeout: 60_000 }).toMatchObject(ready)
  })

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'dev', ...at, '--json'])
  }

  function untilPaused(): Promise<PlaneDetails> {
    return waitFor(
      async () => {
        const plane = await described()
        return plane.status === 'Paused' && plane
      },
      { what: 'the pause', timeoutMs: 180_000, intervalMs: 500 },
    )
  }

  function untilNothingRuns(): Promise<unknown> {
    return waitFor(async () => (await cli.host(['get', 'pods', ...at, '-o=name'])) === '', {
      what: 'the end of all pods',
      timeoutMs: 60_000,
      intervalMs: 500,
    })
  }

  async function ofKeeper(kinds: string): Promise<string[]> {
    const selectors = ['vplane.dev/component=keeper', 'vplane.dev/shared=keeper']
    const found = await Promise.all(
      selectors.map((one) => cli.host(['get', kinds, ...at, '--selector', one, '-o=name'])),
    )
    return found
      .join('\n')
      .split('\n')
      .filter((name) => name !== '')
  }
})
