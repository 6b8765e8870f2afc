"""Writes odd.*: a graph with names that need care, in each format of networkx and pandas that can hold them."""

import json

import networkx as nx

NAMES = ["Ann Lee", 'C"é, x', "\u202e<script>", "#hash", "{brace}", "日本"]
WEIGHTS = [1.5, 2.0, 0.25, 4.0, 0.5, 3.0]


def graph(kind):
    made = kind()
    for k, weight in enumerate(WEIGHTS):
        made.add_edge(NAMES[k], NAMES[(k + 1) % len(NAMES)], weight=weight)
    if made.is_multigraph():
        made.add_edge(NAMES[0], NAMES[1], weight=1.0)
    if made.is_directed():
        made.add_edge(NAMES[1], NAMES[0], weight=0.5)
    return made


for prefix, kind in (("odd", nx.Graph), ("odd-multi", nx.MultiGraph), ("odd-arcs", nx.MultiDiGraph)):
    made = graph(kind)
    nx.write_gml(made, f"{prefix}.gml")
    nx.write_graphml(made, f"{prefix}.graphml")
    nx.write_gexf(made, f"{prefix}.gexf")
    nx.write_pajek(made, f"{prefix}.net")
    nx.write_edgelist(made, f"{prefix}.edgelist", delimiter="\t")
    json.dump(nx.node_link_data(made, edges="edges"), open(f"{prefix}-link.json", "w"))
    json.dump(nx.adjacency_data(made), open(f"{prefix}-adjacency.json", "w"))
    json.dump(nx.cytoscape_data(made), open(f"{prefix}-cytoscape.json", "w"))
    nx.to_pandas_edgelist(made).to_csv(f"{prefix}-edges.csv", index=False)
    nx.to_pandas_edgelist(made).to_csv(f"{prefix}-edges.tsv", sep="\t")

made = graph(nx.Graph)
nx.write_weighted_edgelist(made, "odd-weighted.edgelist", delimiter="\t")
nx.write_multiline_adjlist(made, "odd.adjlist", delimiter="\t")
nx.to_pandas_adjacency(made).to_csv("odd-matrix.csv")
nx.to_pandas_adjacency(made).to_csv("odd-matrix-german.csv", sep=";", decimal=",")
