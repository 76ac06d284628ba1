/** Parts of the names of conformance specs that each end within seconds, and pass in a plane that runs pods. */
const QUICK_SPECS: Readonly<Record<string, readonly string[]>> = {
  'sig-apps': [
    'CronJob should support CronJob API operations',
    'Deployment Deployment should have a working scale subresource',
    'Deployment RecreateDeployment should delete old pods and create new ones',
    'Deployment should validate Deployment Status endpoints',
    'DisruptionController should create a PodDisruptionBudget',
    'Job should create pods for an Indexed job',
    'Job should delete a job',
    'ReplicaSet Replicaset should have a working scale subresource',
    'ReplicaSet should adopt matching pods on creation',
    'ReplicationController should release no longer matching pods',
    'StatefulSet .* should have a working scale subresource',
  ],
  'sig-auth': ['ServiceAccounts should mount (an API|projected service account) token'],
  'sig-network': [
    'DNS should provide DNS for the cluster',
    'EndpointSlice should create Endpoints and EndpointSlices for Pods',
    'Ingress API should support creating Ingress API operations',
    'Services should be able to change the type from ExternalName to ClusterIP',
    'Services should complete a service status lifecycle',
    'Services should serve (a basic endpoint|multiport endpoints) from pods',
  ],
  'sig-node': [
    'ConfigMap should (be consumable via environment variable|run through a ConfigMap lifecycle)',
    'Container Lifecycle Hook .* poststart exec hook',
    'Containers should be able to override the image.s default command and arguments',
    'Downward API should provide (host IP|pod UID|pod name)',
    'Ephemeral Containers will start an ephemeral container',
    'InitContainer should invoke init containers on a RestartNever pod',
    'Kubelet when scheduling a busybox command in a pod should print the output to logs',
    'Pod InPlace Resize Container resize pod via the replace endpoint',
    'Pods should (be updated|be submitted and removed|patch a pod status|get a host IP)',
    'Pods should (contain environment variables|run through the lifecycle)',
    'Secrets should be consumable from pods in env vars',
    'Security Context should support container.SecurityContext.RunAsUser',
    'Variable Expansion should allow composing env vars',
  ],
  'sig-storage': [
    'ConfigMap should be consumable from pods in volume with mappings \\[',
    'Downward API volume should provide podname only',
    'EmptyDir volumes (pod should support shared volumes|should support .non-root,0644,tmpfs)',
    'Projected combined should project all components',
    'Secrets should be consumable from pods in volume \\[',
  ],
}

/** About 40 specs on objects that are synced, as a regular expression in Go's syntax. */
export const QUICK_FOCUS = Object.entries(QUICK_SPECS)
  .map(([group, names]) => `\\[${group}\\] (${names.join('|')})`)
  .join('|')
