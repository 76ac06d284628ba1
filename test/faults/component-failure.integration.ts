import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createCli } from '../support/cli/cli.ts'

/** What nobody notices ends a start after five minutes. */
const NOTICED_MS = 60_000

test.for([
  ['kube-apiserver', 'apiServer.extraArgs.nonsense=1', /unknown flag: --nonsense/],
  ['kube-controller-manager', 'controllerManager.extraArgs.nonsense=1', /unknown flag: --nonsense/],
  ['etcd', 'etcd.extraArgs.auto-compaction-mode=nonsense', /nonsense/],
] as const)(
  'reports %s that cannot start because it has ended, with the last lines of its log',
  async ([component, set, reason]) => {
    await using cli = await createCli()
    const args = ['create', 'dev', '--set', set]

    const { code, stderr } = await cli.run(args)
    const reportedAt = Date.now()
    const diedAt = statSync(cli.plane('dev').logOf(component)).mtimeMs

    expect(code, stderr).toBe(7)
    expect(stderr).toContain(`${component} of "dev" has ended; its last lines:`)
    expect(stderr).toMatch(reason)
    expect(stderr).toContain(`vplane logs dev ${component}`)
    expect(reportedAt - diedAt).toBeLessThan(NOTICED_MS)
    const [plane] = (await cli.json(['list', '--json'])).items
    // Without etcd nothing runs.
    const status = component === 'etcd' ? 'Stopped' : 'NotReady'
    expect(plane).toMatchObject({ name: 'dev', status })
    await cli.ok(['delete', 'dev', '--yes'])
    expect(cli.processes()).toEqual([])
  },
)
