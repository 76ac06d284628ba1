import { describeDatabaseLife } from '../../support/databases/database-life.ts'
import { SERVERS } from '../../support/databases/servers.ts'

// databases.slow-integration.ts tests the rest with MariaDB.
for (const server of SERVERS) {
  describeDatabaseLife(server, { isWhole: server[0] === 'postgres' })
}
