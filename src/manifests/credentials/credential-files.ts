import type { CredentialFormat } from '../../control-plane/spec/credentials/credentials-spec.ts'
import { formatYaml } from '../../shared/yaml/yaml.ts'

/** A client certificate with its key, or a token. */
export type IssuedCredential = { certificate: string; key: string } | { token: string }

export interface CredentialContent {
  /** The name of the plane. */
  name: string
  server: string
  /** CA bundle, PEM. */
  certificateAuthority: string
  credential: IssuedCredential
}

/** The files of a Secret in this format, by their keys. */
export function credentialFiles(
  format: CredentialFormat,
  content: CredentialContent,
): Record<string, string> {
  switch (format) {
    case 'kubeconfig':
      return { value: kubeconfig(content, embedded(content)) }
    case 'argocd':
      return {
        name: content.name,
        server: content.server,
        config: JSON.stringify(argoCdConfig(content)),
      }
    case 'files':
      return { kubeconfig: kubeconfig(content, besides(content)), ...filesBeside(content) }
    default:
      return format satisfies never
  }
}

interface KubeconfigParts {
  cluster: Record<string, string>
  user: Record<string, string>
}

function kubeconfig({ name, server }: CredentialContent, { cluster, user }: KubeconfigParts) {
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}

function embedded({ certificateAuthority, credential }: CredentialContent): KubeconfigParts {
  return {
    cluster: { 'certificate-authority-data': toBase64(certificateAuthority) },
    user:
      'token' in credential
        ? { token: credential.token }
        : {
            'client-certificate-data': toBase64(credential.certificate),
            'client-key-data': toBase64(credential.key),
          },
  }
}

/** Names of files are relative to the kubeconfig. Clients read them again, so a mounted Secret is renewed under them. */
function besides({ credential }: CredentialContent): KubeconfigParts {
  return {
    cluster: { 'certificate-authority': 'ca.crt' },
    user:
      'token' in credential
        ? { tokenFile: 'token' }
        : { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' },
  }
}

function filesBeside({ certificateAuthority, credential }: CredentialContent) {
  return {
    'ca.crt': certificateAuthority,
    ...('token' in credential
      ? { token: credential.token }
      : { 'tls.crt': credential.certificate, 'tls.key': credential.key }),
  }
}

/** `ClusterConfig` in pkg/apis/application/v1alpha1/types.go of argo-cd v3.3.0. */
function argoCdConfig({ certificateAuthority, credential }: CredentialContent) {
  const caData = toBase64(certificateAuthority)
  return 'token' in credential
    ? { bearerToken: credential.token, tlsClientConfig: { insecure: false, caData } }
    : {
        tlsClientConfig: {
          insecure: false,
          caData,
          certData: toBase64(credential.certificate),
          keyData: toBase64(credential.key),
        },
      }
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}
