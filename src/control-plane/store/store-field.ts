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

const ONLY_LOCAL = 'Only with the local driver.'

const etcdClient = {
  certificateFile: absolutePath
    .exactOptional()
    .describe(`Certificate of a user with a role for "prefix". ${ONLY_LOCAL}`),
  keyFile: absolutePath
    .exactOptional()
    .describe(`Its key. Only you may be able to read it. ${ONLY_LOCAL}`),
}

const sharedEtcd = z
  .strictObject({
    endpoints: z
      .array(
        z.string().refine(isEndpoint, 'is not an address such as "https://etcd.example.com:2379"'),
      )
      .min(1)
      .describe('Addresses of its members, as their certificates name them.'),
    caFile: absolutePath
      .exactOptional()
      .describe(`PEM file with the CAs of the certificates of its members. ${ONLY_LOCAL}`),
    root: z
      .strictObject({
        ...etcdClient,
        certificateFile: etcdClient.certificateFile.describe(
          `Certificate with the common name "root". ${ONLY_LOCAL}`,
        ),
        clientCaFile: absolutePath
          .exactOptional()
          .describe(`The CA whose clients the etcd trusts. ${ONLY_LOCAL}`),
        clientCaKeyFile: etcdClient.keyFile,
        credentialsSecret: objectName()
          .exactOptional()
          .describe(
            'Secret in the namespace of the plane with the certificate of the root user and its key in "tls.crt" and "tls.key", the CAs of the members in "ca.crt", and the CA whose clients the etcd trusts and its key in "client-ca.crt" and "client-ca.key". Only with the kubernetes driver.',
          ),
      })
      .exactOptional()
      .describe(
        'Credentials of the root user. With them, vplane makes a user, a role and a certificate for the plane, and deletes the user and the role with it. The keeper compacts the etcd.',
      ),
    client: z
      .strictObject({
        ...etcdClient,
        credentialsSecret: objectName()
          .exactOptional()
          .describe(
            'Secret in the namespace of the plane with that certificate and its key in "tls.crt" and "tls.key", and the CAs of the members in "ca.crt". Only with the kubernetes driver.',
          ),
        prefix: z
          .string()
          .regex(/^(\/[A-Za-z0-9._-]+)+$/, 'is not a prefix such as "/planes/dev"')
          .describe('All keys of the plane are below it.'),
      })
      .exactOptional()
      .describe('You have made the user and its role, and compact the etcd.'),
  })
  .refine(
    ({ client, root }) => (client === undefined) !== (root === undefined),
    'must have one of "root" and "client"',
  )

function isEndpoint(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.href === `${url.origin}/` && !text.endsWith('/')
}

/** The schema of `store` in a user's spec. */
export const storeField = z
  .strictObject({
    etcd: z
      .strictObject({
        shared: sharedEtcd.exactOptional().describe('An etcd that exists and that others use too.'),
      })
      .exactOptional()
      .describe('An etcd of the plane alone, unless it is shared. This is the default.'),
    kine: z
      .strictObject({
        sqlite: nothing
          .exactOptional()
          .describe(
            'One file, which one process reads and writes. Only a plane of this machine has backups.',
          ),
        postgres: database.exactOptional().describe('A PostgreSQL server that exists.'),
        mysql: database.exactOptional().describe('A MySQL or MariaDB server that exists.'),
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
