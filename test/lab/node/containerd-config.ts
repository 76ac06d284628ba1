export interface ContainerdSettings {
  /** Image of the container that holds a pod's namespaces. */
  pauseImage: string
  runc: string
  cniPlugins: string
  cniConfiguration: string
}

/**
 * The configuration of a node's containerd. Its own folders are the usual ones: a node has its own `/run` and `/var/lib`.
 */
export function containerdConfig(settings: ContainerdSettings): string {
  const { cniConfiguration, cniPlugins, pauseImage, runc } = settings
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${JSON.stringify(pauseImage)}
  # Containers may not have a better score than their node, which has none to give away without CAP_SYS_RESOURCE.
  restrict_oom_score_adj = true
  # A profile of AppArmor would be loaded for the whole machine.
  disable_apparmor = true

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  BinaryName = ${JSON.stringify(runc)}
  SystemdCgroup = false

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = ${JSON.stringify(cniPlugins)}
  conf_dir = ${JSON.stringify(cniConfiguration)}
`
}
