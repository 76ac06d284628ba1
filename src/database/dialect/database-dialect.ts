import type { Duplex } from 'node:stream'
import type { PlaneDatabase } from './plane-database.ts'

/** A user of a server, with its password. */
export interface Account {
  user: string
  password: string
}

/** A server of databases, with the rights of its owner. */
export interface DatabaseServer extends AsyncDisposable {
  /**
   * Makes the role and the database of a plane, as far as they do not exist. Returns the other databases that the role can
   * connect to, because everyone can.
   */
  ensure(): Promise<string[]>
  /** Deletes the database and the role of a plane. @throws {VplaneError} `CONFLICT` if another has made the database */
  drop(): Promise<void>
}

/** All kinds of servers. */
export type Databases = Pick<DatabaseDialect, 'hasRows' | 'open'>

/** What is done with each kind of server. Its package is loaded when it is needed. */
export interface DatabaseDialect {
  /** Connects as the owner. */
  open(facts: PlaneDatabase, access: Access): Promise<DatabaseServer>
  /** Whether the database has rows of kine, read as kine reads it. */
  hasRows(facts: PlaneDatabase, access: Access): Promise<boolean>
}

/** Who connects, and which CAs may have issued the certificate of the server. */
export interface Access extends Account {
  /** @default those of the machine */
  certificateAuthority: string | undefined
  /** Opens a connection to the server in another way. @default to its host and port */
  dial?: (() => Promise<Duplex>) | undefined
}
