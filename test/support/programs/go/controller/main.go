// A controller as people write them with controller-runtime: it greets every ConfigMap that asks for it.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	nameKey  = "name"
	greeting = "greeting"
)

type greeter struct {
	client.Client
}

// Reconcile writes the greeting for the name that a ConfigMap holds.
func (g *greeter) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var configMap corev1.ConfigMap
		if err := g.Get(ctx, request.NamespacedName, &configMap); err != nil {
			return client.IgnoreNotFound(err)
		}
		name, asks := configMap.Data[nameKey]
		wanted := "Hello, " + name
		if !asks || configMap.Data[greeting] == wanted {
			return nil
		}
		configMap.Data[greeting] = wanted
		return g.Update(ctx, &configMap)
	})
}

func main() {
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctrl.SetLogger(zap.New())
	restConfig, err := config.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		LeaderElection:          true,
		LeaderElectionID:        "greeter",
		LeaderElectionNamespace: "default",
		Metrics:                 server.Options{BindAddress: "0"},
		// A plane that is shut down takes its leases with it; a test has no time to wait for one to expire.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	controller := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{})
	if err := controller.Complete(&greeter{manager.GetClient()}); err != nil {
		return err
	}
	return manager.Start(ctx)
}
