import * as z from 'zod'
import { objectName, workloadFields } from '../spec/fields/workload-fields.ts'
import { isSan } from '../spec/network/addresses.ts'

const nothing = z.strictObject({})

const absolutePath = z
  .string()
  .regex(/^\/[^\0]*$/, 'is not an absolute path such as "/etc/vplane/database.yaml"')

const database = z.strictObject({
  host: z
    .string()
    .refine(
      (host) => isSan(host) && !host.includes('*'),
      'is neither a host name nor an IP address',
    )
    .describe('The server, as its certificate names it.'),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .exactOptional()
    .describe('Its port. The default is 5432 for PostgreSQL, and 3306 for MySQL.'),
  database: z
    .string()
    .regex(
      /^[a-z][a-z0-9_-]{0,62}$/,
      'is not a name of up to 63 lower case letters, digits, "_" and "-"',
    )
    .exactOptional()
    .describe('Name of the database that vplane creates. The default is a new name.'),
  caFile: absolutePath
    .exactOptional()
    .describe(
      'PEM file with the CAs of the server. The default is the CAs of the machine. Only with the local driver.',
    ),
  credentialsFile: absolutePath
    .exactOptional()
    .describe(
      'YAML file with "username" and "password" of an account that may create databases and accounts. Only you may be able to read it. vplane reads it to create and delete the database. Only with the local driver.',
    ),
  credentialsSecret: objectName()
    .exactOptional()
    .describe(
      'Secret in the namespace of the plane with "username" and "password" of an account that may create databases and accounts, and with the CAs of the server in "ca.crt". vplane reads it to create and delete the database. Only with the kubernetes driver.',
    ),
})

/** The schema of `store` in a user's spec. */
export const storeField = z
  .strictObject({
    etcd: nothing.exactOptional().describe('An etcd of the plane alone. This is the default.'),
    kine: z
      .strictObject({
        sqlite: nothing
          .exactOptional()
          .describe(
            'One file, which one process reads and writes. Only a plane of this machine has snapshots, and none has backups.',
          ),
        postgres: database.exactOptional().describe('A PostgreSQL server that exists.'),
        mysql: database
          .exactOptional()
          .describe('A MySQL or MariaDB server that exists. Only with the local driver.'),
      })
      .refine(
        (stores) => Object.keys(stores).length === 1,
        'must have one of "sqlite", "postgres" and "mysql"',
      )
      .exactOptional()
      .describe('A database that kine serves to kube-apiserver.'),
    resources: workloadFields.resources.describe(
      'Requests and limits of the pod of kine, as "etcd.resources" has those of etcd. Only with the kubernetes driver.',
    ),
  })
  .refine(
    ({ etcd, kine }) => (etcd === undefined) !== (kine === undefined),
    'must have one of "etcd" and "kine"',
  )
  .optional()
  .describe('What stores the data of the plane: "etcd: {}" or "kine: { sqlite: {} }".')
