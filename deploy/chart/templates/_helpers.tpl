{{- define "barker.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "barker.selector" -}}
app.kubernetes.io/name: barker
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "barker.labels" -}}
{{ include "barker.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "barker.host" -}}
{{ . | trimPrefix "https://" }}
{{- end }}

{{- /* What all pods share; the server or the job adds its command, ports and probes. */ -}}
{{- define "barker.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: secrets
    secret:
      secretName: {{ .root.Values.secretName }}
      defaultMode: 0440
  # Copies of the database and the object store: nothing in it must last.
  - name: data
    emptyDir: {}
{{- end }}

{{- define "barker.container" -}}
name: barker
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
envFrom:
  - configMapRef:
      name: {{ include "barker.name" .root }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: secrets
    mountPath: /run/secrets
    readOnly: true
  - name: data
    mountPath: /var/lib/barker
resources:
  {{- toYaml .server.resources | nindent 2 }}
{{- end }}

{{- define "barker.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "barker.name" .root }}-{{ .component }}
  labels:
    {{- include "barker.labels" . | nindent 4 }}
spec:
  {{- if not .scaled }}
  replicas: {{ .server.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "barker.selector" . | nindent 6 }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
  template:
    metadata:
      labels:
        {{- include "barker.labels" . | nindent 8 }}
      annotations:
        # Pods are replaced when a setting changes.
        checksum/config: {{ include "barker.settings" .root | sha256sum }}
        {{- with .root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
      {{- include "barker.pod" . | nindent 6 }}
      containers:
        -
          {{- include "barker.container" . | nindent 10 }}
          args: [serve, --role, {{ .server.roles | quote }}]
          ports:
            {{- if eq .component "api" }}
            - name: production
              containerPort: 8080
            - name: sandbox
              containerPort: 8081
            {{- end }}
            - name: operations
              containerPort: 8082
          startupProbe:
            httpGet:
              path: /readyz
              port: operations
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 150
          # Without the database every pod would be taken out, and callers would get errors of the ingress controller.
          readinessProbe:
            httpGet:
              path: /readyz?exclude=database&exclude=schema
              port: operations
            periodSeconds: 2
            timeoutSeconds: 2
          livenessProbe:
            httpGet:
              path: /livez
              port: operations
            timeoutSeconds: 10
            failureThreshold: 6
{{- end }}

{{- define "barker.settings" -}}
BARKER_MASTER_KEY_FILE: /run/secrets/master_key
BARKER_DATABASE_URL_FILE: /run/secrets/database_url
BARKER_PUBLIC_BASE_URL: {{ required "publicBaseUrl is the address of callers, such as https://ads.example.org" .Values.publicBaseUrl }}
BARKER_PUBLIC_SANDBOX_URL: {{ required "publicSandboxUrl is the address of the sandbox" .Values.publicSandboxUrl }}
{{- range $name, $value := .Values.settings }}
BARKER_{{ $name | upper }}: {{ $value | quote }}
{{- end }}
{{- end }}
