/** A kubeconfig with two host contexts, of which `work` is current. */
export const HOSTS = `apiVersion: v1
kind: Config
current-context: work
clusters:
- name: work
  cluster: {server: "https://work.example.com"}
contexts:
- name: work
  context: {cluster: work, user: me, namespace: team}
- name: play
  context: {cluster: work, user: me}
users:
- name: me
  user: {token: secret}
`
