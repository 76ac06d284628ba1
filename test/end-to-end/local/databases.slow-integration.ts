import { describeDatabaseLife } from '../../support/databases/database-life.ts'
import { SERVERS } from '../../support/databases/servers.ts'

for (const server of SERVERS.filter(([kind]) => kind === 'mysql')) {
  describeDatabaseLife(server, { isWhole: true })
}
