import type { Duplex } from 'node:stream'
import type { KineRow } from './kine-row.ts'
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
  /** Deletes the database and the role of a plane, and tells whether another has a database of that name, which stays. */
  drop(): Promise<{ hasForeign: boolean }>
  /** The data of the plane, which `ensure` has made a place for. */
  data: ReplaceableData
}

/** The rows of a plane, and others that can replace them. What is interrupted can be called again. */
export interface ReplaceableData {
  /** Writes new rows beside those of the plane, which may run meanwhile. */
  load(rows: AsyncIterable<KineRow>): Promise<void>
  /**
   * Replaces the current rows by the new ones, in one step, while kine does not run. The current ones are kept under a
   * name; if there are rows of this name, they are dropped instead. Without new rows it fails, also when it has just
   * replaced the current ones by them.
   */
  exchange(former: string): Promise<void>
  /** Puts back the rows that are kept under a name, while kine does not run. Returns false if there are none. */
  putBack(former: string): Promise<boolean>
  /** Drops the rows that are kept under a name. */
  dropFormer(former: string): Promise<void>
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
  certificateAuthority: string
  /** Opens a connection to the server in another way. @default to its host and port */
  dial?: (() => Promise<Duplex>) | undefined
}
