import type { Databases } from '../../database/dialect/database-dialect.ts'

/** Servers of databases. Loaded when a plane has a database, with the packages of its server. */
export const lazyDatabases: Databases = {
  open: async (...args) => (await load()).open(...args),
  hasRows: async (...args) => (await load()).hasRows(...args),
}

async function load(): Promise<Databases> {
  return (await import('../../database/database-server.ts')).databases
}
