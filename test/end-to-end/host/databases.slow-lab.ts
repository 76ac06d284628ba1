import { expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { staleLists } from '../../support/data/stale-lists.ts'
import { startHostDatabase } from '../../support/databases/host-database.ts'
import { createHostCli } from '../../support/host/host-cli.ts'
import { twoServers } from '../../support/host/planes/two-servers.ts'

const ROUNDS = 1_000

describeOnHost('several kube-apiservers on one database', () => {
  test.for(['postgres', 'mysql'] as const)(
    'never list what another one has deleted: %s',
    async (kind) => {
      await using cli = await createHostCli()
      await using database = await startHostDatabase(cli, kind)
      const { namespace, spec } = database
      const at = ['--namespace', namespace]
      await cli.ok(['create', 'two', ...at, '--file', spec, '--set', 'apiServer.replicas=2'])
      await using servers = await twoServers(cli, { name: 'two', namespace })

      expect(await staleLists(servers.users, ROUNDS)).toBe(0)

      await cli.ok(['delete', 'two', ...at, '--yes'])
    },
  )
})
