/** The file of a plane in a host namespace with the facts of its database. No pod has it. */
export const DATABASE_FILE = 'database.json'

/** The connection of kine to a database, with the password of the plane's role. Only the pod of kine has it. */
export const DATABASE_ENDPOINT = 'database/endpoint'

/** The CAs of the server of a database in the pod of kine. It is no certificate of the plane, which would be renewed. */
export const DATABASE_AUTHORITIES = 'database/authorities.pem'

/** All of them. */
export const DATABASE_FILES = [DATABASE_FILE, DATABASE_ENDPOINT, DATABASE_AUTHORITIES] as const
