"""Reads a .pvd with its .vtp files by VTK, and .vtkhdf files by VTK 9.3 and later; compares them with the
CSV tables of the same trajectory.

Independent of percuss: the distance of every point to the origin of its body does not change, the
mean of the points of a body with three planes of symmetry is its origin, velocities and contacts are
those of the tables, triangles are closed.
"""
import csv
import math
import os
import sys
import xml.etree.ElementTree

from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

FLOAT = 2e-6  # rounding of the points, which are floats of a few metres


def fail(text):
    print(text)
    sys.exit(1)


def check(condition, text):
    if not condition:
        fail(text)


def near(a, b, tolerance, text):
    check(all(abs(x - y) <= tolerance for x, y in zip(a, b)), f"{text}: {a} and {b}")


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def entries(path):
    """(time, part, file) of a list."""
    root = xml.etree.ElementTree.parse(path).getroot()
    folder = os.path.dirname(path)
    return [(float(e.get("timestep")), int(e.get("part")), os.path.join(folder, e.get("file")))
            for e in root.iter("DataSet")]


def read(path):
    reader = vtkXMLPolyDataReader()
    check(reader.CanReadFile(path), f"{path}: VTK cannot read it")
    reader.SetFileName(path)
    reader.Update()
    check(reader.GetErrorCode() == 0, f"{path}: error {reader.GetErrorCode()}")
    return reader.GetOutput()


def hdf_frames(path):
    """(time, data) of all frames; the time is None in a file without steps."""
    key = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    reader = vtkHDFReader()
    check(reader.CanReadFile(path), f"{path}: VTK cannot read it")
    reader.SetFileName(path)
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    times = [information.Get(key, i) for i in range(information.Length(key))]
    for time in times or [None]:
        check(reader.UpdateTimeStep(time) if times else reader.Update() is None, f"{path}: {time}")
        yield time, reader.GetOutputDataObject(0)


def rows(data, name):
    array = data.GetPointData().GetArray(name)
    check(array is not None, f"the array {name} is missing")
    check(array.GetNumberOfTuples() == data.GetNumberOfPoints(), f"{name}: wrong length")
    return [array.GetTuple(i) for i in range(array.GetNumberOfTuples())]


def vector(row, names):
    return [float(row[name]) for name in names]


def rotate(q, x):
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                          a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross(u, x)]
    return [x[i] + w * t[i] + cross(u, t)[i] for i in range(3)]


def points_of(data):
    """Points of every body."""
    found = {}
    for i, (body,) in enumerate(rows(data, "body")):
        found.setdefault(int(body), []).append(data.GetPoint(i))
    return found


def check_closed(data):
    sides = {}
    for i in range(data.GetNumberOfCells()):
        cell = data.GetCell(i)
        check(cell.GetNumberOfPoints() == 3, "a cell is no triangle")
        x = [data.GetPoint(cell.GetPointId(k)) for k in range(3)]
        for k in range(3):
            side = (x[k], x[(k + 1) % 3])
            sides[side] = sides.get(side, 0) + 1
    check(all(sides.get((b, a)) == n for (a, b), n in sides.items()), "a surface is not closed")


def check_bodies(data, bodies, first):
    velocity, spin, kinetic = (rows(data, n) for n in ("velocity", "angular_velocity",
                                                       "kinetic_energy"))
    for n in rows(data, "Normals"):
        near([math.hypot(*n)], [1], 1e-6, "length of a normal")
    body_of = [int(b) for (b,) in rows(data, "body")]
    found = points_of(data)
    check(set(found) == set(bodies), f"bodies {set(found)} and {set(bodies)}")
    for i, body in enumerate(body_of):
        row = bodies[body]
        q = vector(row, ("q0", "q1", "q2", "q3"))
        size = math.hypot(*q)
        near(velocity[i], vector(row, ("vx [m/s]", "vy [m/s]", "vz [m/s]")), FLOAT, "velocity")
        near(spin[i], rotate([c / size for c in q],
                             vector(row, ("w1 [rad/s]", "w2 [rad/s]", "w3 [rad/s]"))), FLOAT,
             "angular velocity")
        near(kinetic[i], [float(row["kinetic [J]"])], 1e-6 * (1 + kinetic[i][0]), "energy")
    for body, points in found.items():
        row = bodies[body]
        origin = vector(row, ("x [m]", "y [m]", "z [m]"))
        if row["name"] in ("capsule", "cylinder") or body == 1:
            mean = [sum(p[i] for p in points) / len(points) for i in range(3)]
            near(mean, origin, FLOAT, row["name"])
        apart = [math.dist(p, origin) for p in points]
        near(apart, first.setdefault(body, apart), FLOAT, "distances in a body")


def check_contacts(data, contacts):
    check(data.GetNumberOfPoints() == len(contacts), "number of contacts")
    if not contacts:
        return
    statuses = ("open", "stick", "slide", "undecided")
    columns = {name: rows(data, name) for name in ("impulse", "normal", "gap", "status", "body1",
                                                   "normal_impulse")}
    for i, row in enumerate(contacts):
        p = [(float(row[f"P1{c} [m]"]) + float(row[f"P2{c} [m]"])) / 2 for c in "xyz"]
        near(data.GetPoint(i), p, FLOAT, "contact point")
        near(columns["impulse"][i], vector(row, ("rx [N s]", "ry [N s]", "rz [N s]")), FLOAT, "impulse")
        near(columns["normal"][i], vector(row, ("nx", "ny", "nz")), FLOAT, "normal")
        near(columns["gap"][i], [float(row["gap [m]"])], FLOAT, "gap")
        near(columns["normal_impulse"][i], [float(row["rN [N s]"])], FLOAT, "normal impulse")
        check(columns["body1"][i][0] == float(row["system1"]), "first body")
        check(statuses[int(columns["status"][i][0])] == row["status"], "status")


def check_names(data, bodies):
    names = data.GetFieldData().GetAbstractArray("name")
    for row in bodies:
        name = names.GetValue(int(row["body"]))
        check(name == row["name"], f"{name} is {row['name']}")


def check_fixed(ground):
    # a square, a square mesh, a height field of two cells
    check(ground.GetNumberOfCells() == 2 + 2 + 4, f"{ground.GetNumberOfCells()} triangles are fixed")
    check(set(points_of(ground)) == {0}, "the world is body 0")


def main(folder):
    name = os.path.join(folder, "out <&\"'>")
    bodies, contacts = (table(os.path.join(folder, f"out-{what}.csv")) for what in
                        ("bodies", "contacts"))
    times = sorted({float(row["t [s]"]) for row in bodies})
    moving = [e for e in entries(name + ".pvd") if e[1] == 1]
    fixed = [e for e in entries(name + ".pvd") if e[1] == 0]
    points = entries(name + "-contacts.pvd")
    for listed in (moving, fixed, points):
        check([e[0] for e in listed] == times, "the times of a list")

    def at(table, time):
        return [row for row in table if float(row["t [s]"]) == time]

    def check_frame(data, time):
        check_bodies(data, {int(row["body"]): row for row in at(bodies, time)}, first)

    first = {}
    for time, _, path in moving:
        data = read(path)
        stamp = data.GetFieldData().GetArray("TimeValue").GetValue(0)
        check(stamp == time, f"{path}: time {stamp}")
        check_frame(data, time)
        check_names(data, at(bodies, time))
    check_closed(data)
    check({e[2] for e in fixed} == {fixed[0][2]}, "what is fixed is in one file")
    check_fixed(read(fixed[0][2]))
    for time, _, path in points:
        data = read(path)
        check_contacts(data, at(contacts, time))
        check(data.GetNumberOfVerts() == data.GetNumberOfPoints(), "number of cells of contacts")
    print(f"{len(times)} frames, {len(first)} bodies, {len(contacts)} contacts")

    version = vtkVersion()
    if (version.GetVTKMajorVersion(), version.GetVTKMinorVersion()) < (9, 3):
        print(f"VTK {version.GetVTKVersion()} does not read .vtkhdf")
        return
    name = os.path.join(folder, "out")
    for path, check_data in ((name + ".vtkhdf", check_frame),
                             (name + "-contacts.vtkhdf",
                              lambda data, time: check_contacts(data, at(contacts, time)))):
        found = []
        for time, data in hdf_frames(path):
            found.append(time)
            check_data(data, time)
        check(found == times, f"{path}: its times")
    for _, data in hdf_frames(name + "-fixed.vtkhdf"):
        check_fixed(data)


main(sys.argv[1])
