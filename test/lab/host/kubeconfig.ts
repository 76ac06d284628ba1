import { formatYaml } from '../../../src/shared/yaml/yaml.ts'

/** A user of a host cluster and the way to it; certificates and keys are PEM. */
export interface KubeconfigContent {
  /** Of its context, its cluster and its user. */
  name: string
  server: string
  certificateAuthority: string
  certificate: string
  key: string
  /** @default none */
  namespace?: string
}

/** A kubeconfig with everything in it, so that it works wherever the file is. */
export function hostKubeconfig(content: KubeconfigContent): string {
  const { certificate, certificateAuthority, key, name, namespace, server } = content
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      { name, cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } },
    ],
    contexts: [
      {
        name,
        context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) },
      },
    ],
    users: [
      {
        name,
        user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
      },
    ],
  })
}

/** A kubeconfig of a process on this machine: certificate and key stay in their files, named after the user. */
export function fileKubeconfig(user: string, server: string, pkiFolder: string): string {
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': user,
    clusters: [{ name: user, cluster: { server, 'certificate-authority': `${pkiFolder}/ca.crt` } }],
    contexts: [{ name: user, context: { cluster: user, user } }],
    users: [
      {
        name: user,
        user: {
          'client-certificate': `${pkiFolder}/${user}.crt`,
          'client-key': `${pkiFolder}/${user}.key`,
        },
      },
    ],
  })
}
